// faults: what tests may order a broker to do wrong.
//
//   auto orders = std::make_shared<troupe::fault_orders>();
//   troupe::broker broker{stage, {.faults = orders}};
//   orders->add(troupe::faults::refuse_connect(reason_code::server_busy, 3));   // then accept
//
// Lives here: fault (one thing to do wrong, and when), fault_orders (all that were given), faults (how each
//          is said).
// Holds:   an order waits for a packet that it fits, on any connection that it fits, and is used up after
//          `times`. What one connection does wrong harms no other; the broker itself believes that it did
//          right. Packets are named as the client sees them: to_client is what the broker sends.
// Threads: fault_orders: anybody. `rewrite` is called on the worker of the connection.
// Units:   octets of the stream to the client.
// Costs:   for tests: every packet is copied. A broker without orders pays nothing.
#pragma once

#include "../protocol/reason_code.hpp"
#include "../protocol/slice.hpp"
#include "../protocol/vocabulary.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace troupe {

struct fault {
  enum class way : std::uint8_t { to_client, from_client };
  enum class deed : std::uint8_t {
    rewrite,    // the packet, by a function
    refuse,     // CONNACK says `reason`, and the connection closes
    claim,      // CONNACK says that the session is (not) present, against the truth
    deny,       // SUBACK says `reason` for filter number `count`, which is subscribed all the same
    lose,       // the packet
    delay,      // it goes `time` later, overtaken by what follows
    repeat,     // it goes `count` times more
    step_back,  // it goes behind the next one of its type
    resend,     // a QoS 2 PUBLISH goes again, with DUP, before its PUBREL
    overrun,    // behind a PUBLISH at QoS 1 or 2 go `count` more, beyond any Receive Maximum
    cut,        // the connection ends after `count` octets, the first one of the packet being number 1
    pace,       // from here on pieces of `count` octets, `time` between two (0: each as the last has gone)
    black_hole, // from here on, this packet included, nothing gets through either way
  };

  deed what = deed::lose;
  way where = way::to_client;
  std::optional<protocol::packet_type> on{}; // none: any packet
  std::string client_id{};                   // empty: any client
  std::uint32_t skip = 0;                    // as many that fit are left alone first
  std::uint32_t times = 1;                   // 0: for ever
  protocol::reason_code reason{};
  std::size_t count = 1;
  std::chrono::milliseconds time{0};
  bool is_present = true; // what `claim` says
  std::function<void(std::vector<protocol::octet>&)> change{};
};

class fault_orders {
public:
  void add(fault order);
  /// Forgets what has not been done.
  void clear();
  /// Packets that something was done to.
  std::uint64_t done() const;
  /// Orders that wait for their packet.
  std::size_t open() const;

  /// All that fit a packet, each counted as done.
  std::vector<fault> take(fault::way where, protocol::packet_type type, std::string_view client_id);

private:
  mutable std::mutex mutex_;
  std::vector<fault> orders_{}; // under mutex_
  std::uint64_t done_ = 0;      // under mutex_
};

namespace faults {

using protocol::packet_type;

inline fault refuse_connect(protocol::reason_code reason, std::uint32_t times = 1) {
  return {.what = fault::deed::refuse, .on = packet_type::connack, .times = times, .reason = reason};
}
inline fault claim_session(bool is_present) {
  return {.what = fault::deed::claim, .on = packet_type::connack, .is_present = is_present};
}
inline fault rewrite(packet_type on, std::function<void(std::vector<protocol::octet>&)> change) {
  return {.what = fault::deed::rewrite, .on = on, .change = std::move(change)};
}
inline fault deny_filter(protocol::reason_code reason, std::size_t number = 0) {
  return {.what = fault::deed::deny, .on = packet_type::suback, .reason = reason, .count = number};
}
inline fault lose(packet_type on, std::uint32_t times = 1) {
  return {.what = fault::deed::lose, .on = on, .times = times};
}
inline fault lose_from_client(packet_type on, std::uint32_t times = 1) {
  return {.what = fault::deed::lose, .where = fault::way::from_client, .on = on, .times = times};
}
inline fault delay(packet_type on, std::chrono::milliseconds time, std::uint32_t times = 1) {
  return {.what = fault::deed::delay, .on = on, .times = times, .time = time};
}
inline fault repeat(packet_type on, std::size_t count = 1) {
  return {.what = fault::deed::repeat, .on = on, .count = count};
}
inline fault step_back(packet_type on) { return {.what = fault::deed::step_back, .on = on}; }
inline fault resend_before_release() { return {.what = fault::deed::resend, .on = packet_type::pubrel}; }
inline fault overrun(std::size_t count) {
  return {.what = fault::deed::overrun, .on = packet_type::publish, .count = count};
}
inline fault cut_after(std::size_t octets, std::optional<packet_type> from = {}) {
  return {.what = fault::deed::cut, .on = from, .count = octets};
}
inline fault fragment(std::size_t octets) { return {.what = fault::deed::pace, .count = octets}; }
inline fault throttle(std::size_t octets, std::chrono::milliseconds every) {
  return {.what = fault::deed::pace, .count = octets, .time = every};
}
inline fault black_hole(packet_type from) { return {.what = fault::deed::black_hole, .on = from}; }

} // namespace faults
} // namespace troupe
