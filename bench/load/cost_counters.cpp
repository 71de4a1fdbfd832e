// The counting stand-ins for malloc and its kin and for the mutex functions are defined here, at the end.
#include "cost_counters.hpp"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define TROUPE_BENCH_INTERPOSES 0
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
#define TROUPE_BENCH_INTERPOSES 0
#endif
#endif
#ifndef TROUPE_BENCH_INTERPOSES
#define TROUPE_BENCH_INTERPOSES 1
#endif

#include <atomic>

#if TROUPE_BENCH_INTERPOSES
#include <dlfcn.h>
#include <pthread.h>

#include <cerrno>
#include <cstddef>
#include <cstdlib>
#endif

namespace troupe::bench {
namespace {

// Threads spread over lines of their own, so that counting does not make them share one.
struct alignas(128) counted_line {
  std::atomic<std::uint64_t> allocations{0};
  std::atomic<std::uint64_t> bytes{0};
  std::atomic<std::uint64_t> releases{0};
  std::atomic<std::uint64_t> mutexes{0};
};
constexpr unsigned line_count = 64;
constinit counted_line lines[line_count];

} // namespace

costs count_costs() noexcept {
  costs sum;
  for (const counted_line& line : lines) {
    sum.allocations += line.allocations.load(std::memory_order_relaxed);
    sum.allocated_bytes += line.bytes.load(std::memory_order_relaxed);
    sum.releases += line.releases.load(std::memory_order_relaxed);
    sum.mutexes += line.mutexes.load(std::memory_order_relaxed);
  }
  return sum;
}

bool are_costs_counted() noexcept { return TROUPE_BENCH_INTERPOSES != 0; }

} // namespace troupe::bench

#if TROUPE_BENCH_INTERPOSES

namespace {

using troupe::bench::counted_line;

constinit std::atomic<unsigned> threads_seen{0};
constinit thread_local counted_line* own_line = nullptr;

counted_line& line() noexcept {
  if (own_line == nullptr) [[unlikely]]
    own_line = &troupe::bench::lines[threads_seen.fetch_add(1, std::memory_order_relaxed)
                                     % troupe::bench::line_count];
  return *own_line;
}

void count_allocation(std::size_t bytes) noexcept {
  counted_line& to = line();
  to.allocations.fetch_add(1, std::memory_order_relaxed);
  to.bytes.fetch_add(bytes, std::memory_order_relaxed);
}

using mutex_function = int (*)(pthread_mutex_t*);
// Looked up at first use: mutexes are taken before constructors run. All threads find the same.
constinit std::atomic<mutex_function> next_lock{nullptr};
constinit std::atomic<mutex_function> next_trylock{nullptr};

mutex_function next(std::atomic<mutex_function>& cached, const char* name) noexcept {
  mutex_function found = cached.load(std::memory_order_relaxed);
  if (found == nullptr) [[unlikely]] {
    found = reinterpret_cast<mutex_function>(::dlsym(RTLD_NEXT, name));
    if (found == nullptr) std::abort();
    cached.store(found, std::memory_order_relaxed);
  }
  return found;
}

} // namespace

extern "C" {

// The C library's own entries; they need no look-up, which would allocate.
void* __libc_malloc(std::size_t size);
void* __libc_calloc(std::size_t count, std::size_t size);
void* __libc_realloc(void* old, std::size_t size);
void* __libc_memalign(std::size_t alignment, std::size_t size);
void __libc_free(void* memory);

void* malloc(std::size_t size) {
  count_allocation(size);
  return __libc_malloc(size);
}

void* calloc(std::size_t count, std::size_t size) {
  count_allocation(count * size);
  return __libc_calloc(count, size);
}

void* realloc(void* old, std::size_t size) {
  count_allocation(size);
  return __libc_realloc(old, size);
}

void* memalign(std::size_t alignment, std::size_t size) {
  count_allocation(size);
  return __libc_memalign(alignment, size);
}

void* aligned_alloc(std::size_t alignment, std::size_t size) {
  count_allocation(size);
  return __libc_memalign(alignment, size);
}

int posix_memalign(void** result, std::size_t alignment, std::size_t size) {
  if (alignment % sizeof(void*) != 0 || (alignment & (alignment - 1)) != 0) return EINVAL;
  count_allocation(size);
  void* const memory = __libc_memalign(alignment, size);
  if (memory == nullptr) return ENOMEM;
  *result = memory;
  return 0;
}

void free(void* memory) {
  if (memory != nullptr) line().releases.fetch_add(1, std::memory_order_relaxed);
  __libc_free(memory);
}

int pthread_mutex_lock(pthread_mutex_t* mutex) {
  line().mutexes.fetch_add(1, std::memory_order_relaxed);
  return next(next_lock, "pthread_mutex_lock")(mutex);
}

int pthread_mutex_trylock(pthread_mutex_t* mutex) {
  line().mutexes.fetch_add(1, std::memory_order_relaxed);
  return next(next_trylock, "pthread_mutex_trylock")(mutex);
}

} // extern "C"

#endif
