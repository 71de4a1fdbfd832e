// sanitizer: tells ThreadSanitizer of hand-overs that it cannot see.
//
// Lives here: hand_over, take_over; nothing at all in other builds.
// Holds:   libcaf is not instrumented and ConcurrentQueue orders by fences, which ThreadSanitizer does
//          not model. What is proven elsewhere (doorbell) is told to it here, so that it watches the
//          rest.
#pragma once

#if defined(__SANITIZE_THREAD__)
#define TROUPE_TSAN 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define TROUPE_TSAN 1
#endif
#endif

#ifdef TROUPE_TSAN
extern "C" void __tsan_acquire(void* address); // NOLINT(bugprone-reserved-identifier)
extern "C" void __tsan_release(void* address); // NOLINT(bugprone-reserved-identifier)
#endif

namespace troupe::runtime {

/// What this thread did so far is visible to whoever takes over at the same address.
inline void hand_over([[maybe_unused]] const void* address) noexcept {
#ifdef TROUPE_TSAN
  __tsan_release(const_cast<void*>(address));
#endif
}

inline void take_over([[maybe_unused]] const void* address) noexcept {
#ifdef TROUPE_TSAN
  __tsan_acquire(const_cast<void*>(address));
#endif
}

} // namespace troupe::runtime
