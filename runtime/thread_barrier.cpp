#include "thread_barrier.hpp"

#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace troupe::runtime {

namespace {

long membarrier(int command) noexcept { return ::syscall(SYS_membarrier, command, 0U, 0); }

} // namespace

bool can_bar_all_threads() noexcept { return membarrier(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED) == 0; }
void bar_all_threads() noexcept { membarrier(MEMBARRIER_CMD_PRIVATE_EXPEDITED); }

} // namespace troupe::runtime
