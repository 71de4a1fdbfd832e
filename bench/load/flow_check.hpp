// flow_check: what became of the numbered messages of one publisher on their way to one subscriber.
//
// Lives here: flow_check.
// Holds:   numbers start at 0. A number seen before is duplicated; one that comes after a larger one is
//          reordered; what was jumped over and never came is lost. In order, it holds one number.
// Threads: belongs to whoever receives; read it after the last message.
// Costs:   in order: one comparison. The list of missing numbers is bounded; beyond it, latecomers count
//          as duplicated and the rest as lost.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace troupe::bench {

class flow_check {
public:
  void take(std::uint64_t number) {
    if (number == next_) [[likely]]
      ++next_;
    else
      take_unexpected(number);
  }
  /// Of the numbers below `expected`.
  std::uint64_t lost(std::uint64_t expected) const noexcept;
  std::uint64_t duplicated() const noexcept { return duplicated_; }
  std::uint64_t reordered() const noexcept { return reordered_; }
  /// Numbers that nobody can have sent, far ahead of all others.
  std::uint64_t beyond(std::uint64_t expected) const noexcept {
    return next_ > expected ? next_ - expected : 0;
  }

private:
  void take_unexpected(std::uint64_t number);

  std::uint64_t next_ = 0; // largest number seen + 1
  std::uint64_t duplicated_ = 0;
  std::uint64_t reordered_ = 0;
  std::uint64_t beyond_list_ = 0;      // numbers jumped over for which the list had no room
  std::vector<std::uint64_t> missing_; // sorted
};

} // namespace troupe::bench
