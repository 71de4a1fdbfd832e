// counting_bell: an owner whose bell only counts.
//
// Lives here: counting_bell, for tests of mailboxes without actors.
// Threads: any.
#pragma once

#include <troupe/runtime/bell.hpp>

#include <atomic>

namespace troupe::test {

class counting_bell final : public runtime::bell {
public:
  void ring() noexcept override { rings.fetch_add(1); }
  void retain() noexcept override { references.fetch_add(1); }
  void release() noexcept override { references.fetch_sub(1); }

  std::atomic<int> rings{0};
  std::atomic<int> references{0};
};

} // namespace troupe::test
