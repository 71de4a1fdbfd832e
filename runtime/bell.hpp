// bell: how somebody is told that there is something to do.
//
// Lives here: bell (whoever may be rung), bell_ref (one counted reference to it).
// Holds:   ring() may be called at any time by anybody and never waits for whoever is rung; several
//          rings before he has looked are one. While a bell_ref exists, the bell exists.
// Threads: every member may be called on any thread.
// Errors:  none; ringing somebody who has ended does nothing.
#pragma once

#include <utility>

namespace troupe::runtime {

class bell {
public:
  virtual void ring() noexcept = 0;
  virtual void retain() noexcept = 0;
  virtual void release() noexcept = 0;

protected:
  ~bell() = default;
};

class bell_ref {
public:
  bell_ref() noexcept = default;
  explicit bell_ref(bell& target) noexcept : target_{&target} { target.retain(); }
  bell_ref(const bell_ref& other) noexcept : target_{other.target_} {
    if (target_ != nullptr) target_->retain();
  }
  bell_ref(bell_ref&& other) noexcept : target_{std::exchange(other.target_, nullptr)} {}
  bell_ref& operator=(bell_ref other) noexcept {
    std::swap(target_, other.target_);
    return *this;
  }
  ~bell_ref() {
    if (target_ != nullptr) target_->release();
  }

  explicit operator bool() const noexcept { return target_ != nullptr; }
  void ring() const noexcept { target_->ring(); }

private:
  bell* target_ = nullptr;
};

} // namespace troupe::runtime
