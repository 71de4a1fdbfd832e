#include "pause.hpp"

#include <atomic>
#include <chrono>
#include <sched.h>
#include <thread>

#if defined(__x86_64__) || defined(__i386__)
#include <immintrin.h>
#endif

namespace troupe::runtime {
namespace {

constexpr std::uint32_t rounds_of_pauses = 16;
constexpr std::uint32_t pauses_a_round = 16;
constexpr std::uint32_t rounds_of_yields = 32;

} // namespace

void cpu_pause() noexcept {
#if defined(__x86_64__) || defined(__i386__)
  _mm_pause();
#else
  std::atomic_signal_fence(std::memory_order_seq_cst);
#endif
}

void yield_thread() noexcept { ::sched_yield(); }

void patience::wait() noexcept {
  ++rounds_;
  if (rounds_ <= rounds_of_pauses) {
    for (std::uint32_t count = 0; count != pauses_a_round; ++count) cpu_pause();
  } else if (rounds_ <= rounds_of_pauses + rounds_of_yields) {
    yield_thread();
  } else {
    rounds_ = rounds_of_pauses + rounds_of_yields; // and no further, lest it wrap
    std::this_thread::sleep_for(std::chrono::microseconds{50});
  }
}

} // namespace troupe::runtime
