// handoff: a list that one side fills and the other takes as a whole.
//
// Lives here: handoff. Its nodes have a member `next` of their own type's pointer.
// Holds:   what is taken comes in the order of the pushes, whatever threads they were made on, as long
//          as they were made one after the other. Nodes belong to whoever pushed or took them.
// Threads: push and take on any thread, at any time.
// Costs:   one atomic step per push and per take; no allocation.
#pragma once

#include <atomic>
#include <utility>

namespace troupe::runtime {

template <class Node>
class handoff {
public:
  handoff() = default;
  handoff(const handoff&) = delete;
  handoff& operator=(const handoff&) = delete;

  /// True when nothing lay here before: the taker has to be told.
  bool push(Node& what) noexcept {
    Node* top = top_.load(std::memory_order_relaxed);
    do {
      what.next = top;
    } while (!top_.compare_exchange_weak(top, &what, std::memory_order_acq_rel, std::memory_order_relaxed));
    return top == nullptr;
  }
  /// Everything, the oldest first, linked by `next`.
  Node* take() noexcept {
    Node* turned = nullptr;
    for (Node* each = top_.exchange(nullptr, std::memory_order_acq_rel); each != nullptr;)
      each = std::exchange(each->next, std::exchange(turned, each));
    return turned;
  }
  bool is_empty() const noexcept { return top_.load(std::memory_order_relaxed) == nullptr; }

private:
  std::atomic<Node*> top_{nullptr}; // pushed by one side, emptied as a whole by the other: no ABA
};

} // namespace troupe::runtime
