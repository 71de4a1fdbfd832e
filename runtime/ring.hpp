// ring: a queue in one array that grows and never shrinks.
//
// Lives here: ring.
// Threads: belongs to one thread.
// Costs:   no allocation once it has seen its peak (std::deque gives blocks back and asks again).
#pragma once

#include <cstddef>
#include <memory>
#include <utility>

namespace troupe::runtime {

template <class Item>
class ring {
public:
  bool is_empty() const noexcept { return first_ == last_; }
  std::size_t size() const noexcept { return last_ - first_; }
  void push(Item item) {
    if (size() == capacity_) grow();
    items_[last_++ & (capacity_ - 1)] = std::move(item);
  }
  /// Must not be empty.
  Item pop() noexcept { return std::move(items_[first_++ & (capacity_ - 1)]); }

private:
  void grow() {
    const auto larger = capacity_ == 0 ? std::size_t{16} : capacity_ * 2;
    auto fresh = std::make_unique<Item[]>(larger);
    const auto count = size();
    for (std::size_t index = 0; index != count; ++index) fresh[index] = pop();
    items_ = std::move(fresh);
    capacity_ = larger;
    first_ = 0;
    last_ = count;
  }

  std::unique_ptr<Item[]> items_;
  std::size_t capacity_ = 0; // zero or a power of two
  std::size_t first_ = 0;
  std::size_t last_ = 0;
};

} // namespace troupe::runtime
