// raw_roles: who does what in the raw limit: publisher, subscriber and broker without actors.
//
// Lives here: raw_publisher, raw_subscriber, raw_broker.
// Holds:   every message is encoded, every frame cut, every topic looked up in a hash table, and every
//          acknowledgement of QoS 1 and 2 written, on both legs, with a flat table of what is in
//          flight. The broker forwards a PUBLISH from the buffer it was read into; at QoS 1 and 2 it
//          writes its own packet id over the publisher's.
// Threads: each role belongs to one thread; roles that share a link share the thread.
// Errors:  those of raw_link.
#pragma once

#include "raw_link.hpp"
#include "sequence.hpp"

#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

namespace troupe::bench {

/// Packet ids in turn; with a window below 65,535 they are free again when their turn comes.
class raw_ids {
public:
  packet_id next() noexcept {
    if (++last_ == 0) last_ = 1;
    return last_;
  }

private:
  packet_id last_ = 0;
};

class raw_publisher {
public:
  raw_publisher(raw_link& link, const raw_format& format);

  void arm(std::uint64_t first, std::uint64_t count) noexcept;
  /// Encodes and sends, 256 messages (at most 256 KB) a write, up to `limit` messages since arm() in
  /// all and about 256 KB in this call.
  void produce(std::uint64_t limit);
  /// PUBACK, PUBREC, PUBCOMP.
  void on_frame(const raw_frame& frame);

  std::uint64_t produced() const noexcept { return produced_; }
  bool has_more() const noexcept { return produced_ != count_; }
  bool is_settled() const noexcept { return settled_ == (format_.has_id() ? count_ : 0); }

private:
  std::size_t batch() const noexcept;
  void encode_copied(std::size_t messages);
  void encode_borrowed(std::size_t messages);
  octet* encode_head(octet* at);

  raw_link& link_;
  raw_format format_;
  std::vector<octet> payload_;
  std::vector<octet> heads_; // of messages whose payload is borrowed
  std::vector<std::uint8_t> in_flight_;
  raw_ids ids_;
  std::uint64_t first_ = 0;
  std::uint64_t count_ = 0;
  std::uint64_t produced_ = 0;
  std::uint64_t settled_ = 0;
};

class raw_subscriber {
public:
  raw_subscriber(raw_link& link, const raw_format& format);

  void arm(std::uint64_t first, std::uint64_t count) { check_.arm(first, count); }
  /// PUBLISH, PUBREL.
  void on_frame(const raw_frame& frame);

  std::uint64_t received() const noexcept { return check_.received(); }
  const sequence_check& check() const noexcept { return check_; }

private:
  void on_publish(const raw_frame& frame);

  raw_link& link_;
  raw_format format_;
  topic_table topics_;
  sequence_check check_;
  std::vector<std::uint8_t> seen_; // QoS 2 ids between PUBLISH and PUBREL
};

class raw_broker {
public:
  /// Both may be the same link.
  raw_broker(raw_link& publisher, raw_link& subscriber, const raw_format& format);

  /// Reads once on each link, answers and forwards. False when a link is closed.
  bool step();
  bool is_blocked() const noexcept { return subscriber_.has_runs(); }
  void unblock();
  /// Messages whose last acknowledgement came from the subscriber (QoS 1 and 2). From any thread.
  std::uint64_t settled() const noexcept { return settled_.load(std::memory_order_acquire); }

private:
  void take_all(raw_link& from);
  void on_frame(raw_link& from, const raw_frame& frame);
  void on_publish(raw_link& from, const raw_frame& frame);

  raw_link& publisher_;
  raw_link& subscriber_;
  raw_format format_;
  std::vector<std::string> names_;
  topic_table topics_;
  std::vector<std::uint8_t> arriving_; // QoS 2 ids of the publisher's leg
  std::vector<std::uint8_t> leaving_;  // ids of the subscriber's leg
  raw_ids ids_;
  std::uint64_t acknowledged_ = 0;
  std::atomic<std::uint64_t> settled_{0}; // acknowledged_, told to other threads after each step
};

} // namespace troupe::bench
