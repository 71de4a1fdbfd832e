// letter_box: where threads that know no actors leave word for one.
//
// Lives here: letter_box.
// Holds:   what is left is called in the owner's next run, in order; once the box is closed it is dropped.
//          Bounded by those who leave word: they have one question open for each reply.
// Threads: leave: anybody. take and close: the owner.
// Costs:   a mutex for each reply; for the owner a look at one flag.
#pragma once

#include "../runtime/bell.hpp"

#include <atomic>
#include <functional>
#include <mutex>
#include <utility>
#include <vector>

namespace troupe::brokerage {

class letter_box {
public:
  explicit letter_box(runtime::bell& owner) noexcept : owner_{&owner} {}
  letter_box(const letter_box&) = delete;
  letter_box& operator=(const letter_box&) = delete;

  void leave(std::function<void()> what) {
    const std::lock_guard lock{mutex_};
    if (owner_ == nullptr) return;
    letters_.push_back(std::move(what));
    is_full_.store(true, std::memory_order_release);
    owner_->ring();
  }
  void take() {
    if (!is_full_.load(std::memory_order_acquire)) return;
    std::vector<std::function<void()>> all;
    {
      const std::lock_guard lock{mutex_};
      all.swap(letters_);
      is_full_.store(false, std::memory_order_relaxed);
    }
    for (const auto& one : all) one();
  }
  void close() {
    std::vector<std::function<void()>> dropped; // destroyed after the mutex is free
    const std::lock_guard lock{mutex_};
    owner_ = nullptr;
    dropped.swap(letters_);
  }

private:
  std::mutex mutex_;
  runtime::bell* owner_;                         // under mutex_; null once closed
  std::vector<std::function<void()>> letters_{}; // under mutex_
  std::atomic<bool> is_full_{false};             // written under mutex_, read by the owner before he takes it
};

} // namespace troupe::brokerage
