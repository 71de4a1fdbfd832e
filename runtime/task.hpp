// task: something to be called once, later, on another thread.
//
// Lives here: task, a move-only callable that keeps small ones in itself.
// Holds:   called at most once; one that is not called is destroyed.
// Errors:  whatever is called must not throw.
// Costs:   no allocation up to 48 octets.
#pragma once

#include <concepts>
#include <cstddef>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

namespace troupe::runtime {

class task {
public:
  static constexpr std::size_t room = 48;

  task() noexcept = default;
  template <std::invocable Call>
    requires(!std::same_as<std::remove_cvref_t<Call>, task>)
  task(Call&& call) { // NOLINT(google-explicit-constructor): a callable is a task
    using stored = std::remove_cvref_t<Call>;
    if constexpr (fits<stored>) {
      ::new (static_cast<void*>(memory_)) stored(std::forward<Call>(call));
      act_ = &act_inside<stored>;
    } else {
      ::new (static_cast<void*>(memory_)) stored*(new stored(std::forward<Call>(call)));
      act_ = &act_outside<stored>;
    }
  }
  task(task&& other) noexcept { take(other); }
  task& operator=(task&& other) noexcept {
    if (this != &other) {
      drop();
      take(other);
    }
    return *this;
  }
  ~task() { drop(); }

  explicit operator bool() const noexcept { return act_ != nullptr; }
  /// Calls and empties it.
  void operator()() { std::exchange(act_, nullptr)(deed::call, memory_, nullptr); }

private:
  enum class deed { call, move, destroy };
  using actor = void (*)(deed, void* mine, void* to);

  template <class Stored>
  static constexpr bool fits = sizeof(Stored) <= room && alignof(Stored) <= alignof(std::max_align_t)
                               && std::is_nothrow_move_constructible_v<Stored>;

  template <class Stored>
  static void act_inside(deed what, void* mine, void* to) {
    auto* stored = std::launder(static_cast<Stored*>(mine));
    if (what == deed::move) ::new (to) Stored(std::move(*stored));
    if (what == deed::call) {
      auto last = std::move(*stored);
      std::destroy_at(stored);
      last();
      return;
    }
    std::destroy_at(stored);
  }
  template <class Stored>
  static void act_outside(deed what, void* mine, void* to) {
    auto* stored = *std::launder(static_cast<Stored**>(mine));
    if (what == deed::move) {
      ::new (to) Stored*(stored);
      return;
    }
    const std::unique_ptr<Stored> last{stored};
    if (what == deed::call) (*last)();
  }

  void take(task& other) noexcept {
    if (other.act_ == nullptr) return;
    other.act_(deed::move, other.memory_, memory_);
    act_ = std::exchange(other.act_, nullptr);
  }
  void drop() noexcept {
    if (act_ != nullptr) std::exchange(act_, nullptr)(deed::destroy, memory_, nullptr);
  }

  alignas(std::max_align_t) std::byte memory_[room];
  actor act_ = nullptr;
};

} // namespace troupe::runtime
