// our_side: Troupe under load, by nothing but its public face.
//
// Lives here: our_plan, our_side, row_failure.
// Holds:   a broker and a client, in one actor system or in two, or a client of some other broker. A
//          burst is `messages` publishes started one after another without waiting, then the receipt of
//          all by a subscription of the same client, then the outcome of each. Every message is checked
//          (sequence); nothing is lost, doubled or out of order unless faults() says so.
// Threads: everything on the thread that constructed it; the subscription's handler on the client's
//          home worker.
// Errors:  row_failure says in words why a row cannot be finished: no listener, no connection, an
//          outcome that is an error, or the deadline of 30 s.
#pragma once

#include "sequence.hpp"
#include "workload.hpp"

#include <chrono>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>

namespace troupe::bench {

class row_failure : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

struct our_plan {
  workload row{};
  std::size_t workers = 1;
  std::string broker{}; // URL of a broker elsewhere; empty: ours, in this process
};

/// What became of messages.
struct faults {
  std::uint64_t lost = 0;
  std::uint64_t duplicated = 0;
  std::uint64_t reordered = 0;
  std::uint64_t damaged = 0;
  std::uint64_t total() const noexcept { return lost + duplicated + reordered + damaged; }
};

class our_side {
public:
  explicit our_side(const our_plan& plan);
  ~our_side();
  our_side(const our_side&) = delete;
  our_side& operator=(const our_side&) = delete;

  /// Replaces the client by a new one: connected, subscribed to a topic of its own.
  void fresh_client();
  /// One burst of the row's kind. Answers the time from the first publish to the last receipt and
  /// outcome.
  std::chrono::nanoseconds burst() { return burst(messages()); }
  std::chrono::nanoseconds burst(std::uint32_t messages);
  std::uint32_t messages() const noexcept;
  /// Compares every octet of payloads instead of their ends.
  void thorough(bool whole) noexcept;
  const faults& found() const noexcept;

private:
  struct parts;
  void publish_each(std::uint32_t messages);
  void publish_at_once(std::uint32_t messages);
  void publish_with_window(std::uint32_t messages);
  void await_outcomes();
  void await_receipt(std::uint32_t messages);

  std::unique_ptr<parts> parts_;
};

} // namespace troupe::bench
