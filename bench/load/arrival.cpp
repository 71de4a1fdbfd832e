#include "arrival.hpp"

#include "../../runtime/pause.hpp"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <ctime>

namespace troupe::bench {
namespace {

// About a millisecond in all. He who waits may be on the very core of whoever works for him, and keeps it half a
// microsecond at a time: with ten microseconds a message that went alone took a tenth longer.
constexpr unsigned looks_awake = 12'000;
constexpr unsigned looks_between_yields = 10;

} // namespace

static_assert(sizeof(std::atomic<std::uint32_t>) == sizeof(std::uint32_t));

void arrival::arm(std::uint32_t expected, std::uint32_t stride) noexcept {
  expected_ = expected;
  mask_ = stride == 0 ? UINT64_MAX : stride - 1;
  told_.store(0, std::memory_order_release);
}

void arrival::tell(std::uint32_t number) noexcept {
  told_.store(number, std::memory_order_seq_cst);
  if (sleeping_.load(std::memory_order_seq_cst) != 0)
    ::syscall(SYS_futex, &told_, FUTEX_WAKE_PRIVATE, 1, nullptr, nullptr, 0);
}

bool arrival::await(std::uint32_t number, std::chrono::steady_clock::time_point deadline) noexcept {
  // Waking a thread that sleeps takes tens of microseconds on a virtual machine, and is no work of the
  // library's: whoever measures stays awake for as long as a burst takes, and offers his core meanwhile.
  for (unsigned look = 0; look != looks_awake; ++look) {
    if (told() >= number) return true;
    look % looks_between_yields == 0 ? runtime::yield_thread() : runtime::cpu_pause();
  }
  sleeping_.store(1, std::memory_order_seq_cst);
  std::uint32_t seen = told_.load(std::memory_order_seq_cst);
  while (seen < number) {
    const auto left = deadline - std::chrono::steady_clock::now();
    if (left.count() <= 0) break;
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(left);
    timespec time{};
    time.tv_sec = seconds.count();
    time.tv_nsec = std::chrono::nanoseconds{left - seconds}.count();
    ::syscall(SYS_futex, &told_, FUTEX_WAIT_PRIVATE, seen, &time, nullptr, 0);
    seen = told_.load(std::memory_order_seq_cst);
  }
  sleeping_.store(0, std::memory_order_seq_cst);
  return seen >= number;
}

} // namespace troupe::bench
