// thread_barrier: a full memory barrier on every thread of this process, paid by whoever asks for it.
//
// Lives here: can_bar_all_threads, bar_all_threads.
// Holds:   two sides that each write one place and then look at the other's need a full barrier between.
//          Where one side passes often and the other hardly ever, the first does without (a signal fence
//          keeps the compiler from changing the order), and the second calls bar_all_threads() between
//          its write and its look: what the first wrote before that call is seen, and what the second
//          wrote is seen by every look of the first that follows it.
// Threads: anybody.
// Errors:  a kernel without membarrier(2) is an answer; then both sides need locked instructions.
// Costs:   the first call in a process with several threads waits some milliseconds for the kernel (12 seen), with
//          one thread it does not. bar_all_threads(): a
//          system call, which interrupts the cores that run this process.
#pragma once

namespace troupe::runtime {

/// Whether bar_all_threads() works here. Says so to the kernel once a process; later calls are cheap.
bool can_bar_all_threads() noexcept;
/// Returns when every thread of this process has passed a full memory barrier since the call.
void bar_all_threads() noexcept;

} // namespace troupe::runtime
