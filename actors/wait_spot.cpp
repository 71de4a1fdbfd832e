#include "wait_spot.hpp"

#include <ctime>
#include <limits>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace troupe::actors {

void futex_wait(std::atomic<std::uint32_t>& bell, std::uint32_t seen,
                std::chrono::steady_clock::time_point until) noexcept {
  std::timespec deadline{};
  const bool is_endless = until == std::chrono::steady_clock::time_point::max();
  if (!is_endless) {
    const auto since = until.time_since_epoch();
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(since);
    deadline.tv_sec = static_cast<std::time_t>(seconds.count());
    deadline.tv_nsec = static_cast<long>(std::chrono::nanoseconds{since - seconds}.count());
  }
  // The form with a bit set takes an absolute time of the monotonic clock, as steady_clock has it.
  ::syscall(SYS_futex, &bell, FUTEX_WAIT_BITSET_PRIVATE, seen, is_endless ? nullptr : &deadline, nullptr,
            FUTEX_BITSET_MATCH_ANY);
}

void futex_wake_all(std::atomic<std::uint32_t>& bell) noexcept {
  ::syscall(SYS_futex, &bell, FUTEX_WAKE_PRIVATE, std::numeric_limits<int>::max(), nullptr, nullptr, 0);
}

} // namespace troupe::actors
