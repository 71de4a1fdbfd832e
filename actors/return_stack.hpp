// return_stack: how pooled objects come home from other threads.
//
// Lives here: return_stack, a list that anybody pushes to and the owner takes whole (so there is no ABA).
// Holds:   the object's `next` member belongs to whoever holds the object alone.
// Threads: push: anybody; take: the owner.
// Costs:   push: one atomic step.
#pragma once

#include <atomic>

namespace troupe::actors {

template <class T>
class return_stack {
public:
  void push(T& back) noexcept {
    back.next = top_.load(std::memory_order_relaxed);
    while (!top_.compare_exchange_weak(back.next, &back, std::memory_order_release,
                                       std::memory_order_relaxed)) {}
  }
  bool is_empty() const noexcept { return top_.load(std::memory_order_relaxed) == nullptr; }
  /// All of it, the latest first.
  T* take() noexcept { return top_.exchange(nullptr, std::memory_order_acquire); }

private:
  std::atomic<T*> top_{nullptr};
};

} // namespace troupe::actors
