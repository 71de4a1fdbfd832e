// raw_limit: what this machine gives without actors, for the row beside ours.
//
// Lives here: raw_plan, raw_limit.
// Holds:   publisher, broker and subscriber (raw_roles) over one connection on one or two threads, over
//          two connections on three. The same messages as ours, checked the same way; a burst ends when
//          every message has been received and, at QoS 1 and 2, every outcome of the publisher is known.
//          One thread: every role in turn, never sleeping. Two: client here, broker (epoll) beside.
//          Three: publisher here, broker and subscriber (epoll) beside.
//          Over memory (one thread) a write is one copy into the peer's read buffer: the limit of what
//          a loopback without system calls could give.
// Threads: everything on the thread that constructed it.
// Errors:  std::system_error when a socket fails or nothing happens for 30 s; on the other threads it
//          is kept and thrown at the next call.
#pragma once

#include "raw_link.hpp"

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

namespace troupe::bench {

struct raw_plan {
  raw_medium medium = raw_medium::tcp;
  protocol::version version = protocol::version::v5_0;
  protocol::qos quality = protocol::qos::at_most_once;
  std::string topic;
  std::size_t payload = 10;
  unsigned threads = 1;
};

class raw_limit {
public:
  explicit raw_limit(const raw_plan& plan);
  ~raw_limit();
  raw_limit(const raw_limit&) = delete;
  raw_limit& operator=(const raw_limit&) = delete;

  /// Time from the first encode to the last receipt and outcome; at most `window` messages are on
  /// their way at any time. Before it returns, everything has come to rest (outside the time).
  std::chrono::nanoseconds burst(std::uint64_t messages, std::uint64_t window = UINT64_MAX);
  /// Messages that went astray so far. Not zero: the raw limit itself is broken.
  std::uint64_t faults() const noexcept;

private:
  struct parts;
  void one_thread(std::uint64_t window);
  void two_threads(std::uint64_t window);
  void three_threads(std::uint64_t window);
  void await_receipt(std::uint64_t count);
  void await_rest();

  std::unique_ptr<parts> parts_;
};

} // namespace troupe::bench
