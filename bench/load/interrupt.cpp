#include "interrupt.hpp"

#include <pthread.h>

#include <ctime>

namespace troupe::bench {

interrupt::interrupt() {
  sigemptyset(&ours_);
  sigaddset(&ours_, SIGINT);
  sigaddset(&ours_, SIGTERM);
  ::pthread_sigmask(SIG_BLOCK, &ours_, &before_);
}

interrupt::~interrupt() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

bool interrupt::wait(std::chrono::nanoseconds time) {
  if (signal_ != 0) return true;
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(time);
  timespec limit{};
  limit.tv_sec = seconds.count();
  limit.tv_nsec = (time - seconds).count();
  const int which = ::sigtimedwait(&ours_, nullptr, &limit);
  if (which > 0) {
    signal_ = which;
    ::pthread_sigmask(SIG_UNBLOCK, &ours_, nullptr); // the next one is not held back
  }
  return signal_ != 0;
}

} // namespace troupe::bench
