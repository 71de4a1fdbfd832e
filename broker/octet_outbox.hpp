// octet_outbox: an outbox over plain memory.
//
// Lives here: octet_outbox.
// Holds:   all that was committed lies in one piece, until it is consumed.
// Threads: belongs to one owner.
// Costs:   a copy per packet; no allocation once it has seen its peak.
#pragma once

#include "../protocol/outbox.hpp"
#include "../protocol/slice.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <string_view>
#include <vector>

namespace troupe::brokerage {

class octet_outbox final : public protocol::outbox {
public:
  void borrow(protocol::octets payload, protocol::keeper*) override {
    if (payload.empty()) return;
    protocol::octet* const to = reserve(payload.size());
    std::memcpy(to, payload.data(), payload.size());
    commit(to + payload.size());
  }
  std::size_t size() const noexcept { return cursor_ == nullptr ? 0 : at(cursor_) - head_; }
  bool empty() const noexcept { return size() == 0; }
  protocol::octets octets() const noexcept { return {memory_.data() + head_, size()}; }
  std::string_view text() const noexcept { return protocol::as_text(octets()); }
  void consume(std::size_t count) noexcept {
    head_ += count;
    if (empty()) clear();
  }
  void clear() noexcept {
    head_ = 0;
    cursor_ = memory_.data();
  }

private:
  static constexpr std::size_t least_room = 512;

  std::size_t at(const protocol::octet* place) const noexcept {
    return static_cast<std::size_t>(place - memory_.data());
  }
  void grow(std::size_t count) override {
    const std::size_t used = size();
    if (head_ != 0) std::memmove(memory_.data(), memory_.data() + head_, used);
    head_ = 0;
    const std::size_t wanted = used + count;
    if (memory_.size() < wanted) memory_.resize(std::max({wanted, 2 * memory_.size(), least_room}));
    cursor_ = memory_.data() + used;
    end_ = memory_.data() + memory_.size();
  }

  std::vector<protocol::octet> memory_{};
  std::size_t head_ = 0;
};

} // namespace troupe::brokerage
