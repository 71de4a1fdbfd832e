// errand: a question whose answer comes from elsewhere, and whose asker may be gone by then.
//
// Lives here: errand.
// Holds:   the answer is handed over at most once, on the asker's home, never from inside report(); not
//          at all once the asker has let go.
// Threads: begin and let_go on the asker's home; report on any thread.
#pragma once

#include "home.hpp"

#include <functional>
#include <memory>
#include <mutex>
#include <utility>

namespace troupe::runtime {

template <class Answer>
class errand : public std::enable_shared_from_this<errand<Answer>> {
public:
  errand(home& asker, std::function<void(Answer)> done) : asker_{&asker}, done_{std::move(done)} {}

  /// False when nobody asks any more: then the answer is left with the caller.
  bool report(Answer&& answer) {
    const std::lock_guard lock{mutex_};
    if (asker_ == nullptr || answer_) return false;
    answer_ = std::make_unique<Answer>(std::move(answer));
    asker_->post([self = this->shared_from_this()] { self->hand_over(); });
    return true;
  }
  void let_go() noexcept {
    const std::lock_guard lock{mutex_};
    asker_ = nullptr;
    done_ = nullptr;
  }
  /// Lets go when the last copy goes.
  std::shared_ptr<void> as_token() {
    return {nullptr, [self = this->shared_from_this()](void*) { self->let_go(); }};
  }

private:
  void hand_over() {
    // On the asker's home, which alone may let go: the mutex is not needed to look. What nobody wants
    // any more is destroyed here as well, for it may be bound to this home.
    const auto answer = std::move(answer_);
    if (done_) std::exchange(done_, nullptr)(std::move(*answer));
  }

  std::mutex mutex_;
  home* asker_;                      // under mutex_; null once he has let go
  std::unique_ptr<Answer> answer_;   // under mutex_ until posted
  std::function<void(Answer)> done_; // the asker's home
};

} // namespace troupe::runtime
