// relay: stands between clients and a broker, passes everything on, and looks at it or keeps it back.
//
// Lives here: relay_options, relay.
// Holds:   what comes from the broker is passed on `delay` later, in order; while a stall lasts nothing is
//          passed on at all. It counts the PUBLISHes at QoS 1 and 2 of one client that have no last
//          acknowledgement yet, and remembers the greatest count and the receive maximum of CONNACK.
// Threads: a thread of its own between construction and destruction; members from any thread.
// Errors:  the constructor throws std::system_error when it cannot listen.
// Costs:   a copy each way; it is no part of what is measured but for what it is told to add.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <thread>

namespace troupe::bench {

struct relay_options {
  std::uint16_t broker_port = 1883; // of 127.0.0.1
  std::chrono::nanoseconds delay{0};
};

class relay {
public:
  explicit relay(relay_options options);
  ~relay();
  relay(const relay&) = delete;
  relay& operator=(const relay&) = delete;

  std::uint16_t port() const noexcept { return port_; }
  std::string url() const { return "mqtt://127.0.0.1:" + std::to_string(port_); }
  /// Stands still once so many octets have come from clients, for so long.
  void stall_after(std::uint64_t count, std::chrono::nanoseconds time) noexcept;

  std::uint64_t most_in_flight() const noexcept { return most_in_flight_.load(); }
  /// Of the last CONNACK; 65,535 when it says nothing.
  std::uint64_t receive_maximum() const noexcept { return receive_maximum_.load(); }
  std::uint64_t stalls() const noexcept { return stalls_.load(); }

private:
  struct line;
  class worker;

  relay_options options_;
  int listener_ = -1;
  int bell_ = -1;
  std::uint16_t port_ = 0;
  std::atomic<std::uint64_t> most_in_flight_{0};
  std::atomic<std::uint64_t> receive_maximum_{65'535};
  std::atomic<std::uint64_t> stall_from_{UINT64_MAX}; // octets of clients
  std::atomic<std::int64_t> stall_time_{0};           // nanoseconds; written before stall_from_
  std::atomic<std::uint64_t> stalls_{0};
  std::thread thread_;
};

} // namespace troupe::bench
