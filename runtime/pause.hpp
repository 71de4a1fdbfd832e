// pause: how to wait for another thread that is about to finish a few instructions.
//
// Lives here: cpu_pause, patience (first pauses, then yields, then short sleeps).
// Holds:   whoever is waited for gets the processor: a thread that was interrupted in the middle costs
//          its waiters next to nothing.
// Units:   a nap is 50 us plus the timer slack of the operating system.
#pragma once

#include <cstdint>

namespace troupe::runtime {

/// Tells the processor that this is a spin loop.
void cpu_pause() noexcept;
/// Offers the processor to others.
void yield_thread() noexcept;

class patience {
public:
  void reset() noexcept { rounds_ = 0; }
  void wait() noexcept;

private:
  std::uint32_t rounds_ = 0;
};

} // namespace troupe::runtime
