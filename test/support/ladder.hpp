// ladder: a client that keeps the rules of QoS 1 and 2, whatever becomes of its connections and its broker.
//
// Lives here: ladder: its half of the session, what it published and what it received.
// Holds:   one topic, "t"; payloads are numbers. What is unfinished goes on with the next connection.
#pragma once

#include "script_client.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace troupe::test {

class ladder {
public:
  using speaker = std::function<void(const std::vector<protocol::octet>&)>;

  ladder(std::string id, bool subscribes) : id_{std::move(id)}, subscribes_{subscribes} {}

  // -- connections ------------------------------------------------------------
  /// `wire` encodes, `say` sends.
  void up(script_client& wire, speaker say) {
    wire_ = &wire;
    say_ = std::move(say);
    say_(wire.connect_bytes({.id = id_, .clean = false, .expiry = 100'000}));
  }
  void down() {
    wire_ = nullptr;
    is_greeted_ = false;
  }
  bool is_up() const { return wire_ != nullptr; }
  /// Everything it published is acknowledged, and it listens if it wants to.
  bool is_idle() const { return out_.empty() && is_greeted_ && (!subscribes_ || is_subscribed_); }

  // -- what it says and hears ---------------------------------------------------
  bool may_publish() const { return is_greeted_ && out_.size() < 8; }
  void publish(int number, protocol::qos quality) {
    protocol::packet_id id = 1;
    while (out_.contains(id)) ++id;
    out_[id] = {number, quality, false};
    order_.push_back(id);
    send(id, false);
  }
  void on(const seen& one) {
    using protocol::packet_type;
    if (wire_ == nullptr) return;
    switch (one.type) {
    case packet_type::connack: return on_connack(one);
    case packet_type::suback: is_subscribed_ = true; return;
    case packet_type::publish: return on_publish(one);
    case packet_type::pubrel: taken_.erase(one.id); return answer(packet_type::pubcomp, one.id);
    case packet_type::puback: return end(one.id);
    case packet_type::pubrec: return on_pubrec(one.id);
    case packet_type::pubcomp:
      if (out_.contains(one.id) && out_[one.id].is_taken) end(one.id);
      return;
    default: return;
    }
  }

  std::map<int, int> received{};       // how often, by number
  std::vector<int> order_of_arrival{}; // first arrivals
  std::vector<int> acknowledged{};     // by the broker: PUBACK or PUBREC
  std::set<int> exact{};               // of these at QoS 2

private:
  struct outgoing {
    int number = 0;
    protocol::qos quality{};
    bool is_taken = false; // PUBREC came
  };

  void send(protocol::packet_id id, bool dup) {
    const outgoing& one = out_.at(id);
    say_(wire_->publish_bytes("t", std::to_string(one.number),
                              {.quality = one.quality, .dup = dup, .id = id}));
  }
  void answer(protocol::packet_type type, protocol::packet_id id) {
    say_(wire_->bytes_of([&](protocol::outbox& out) {
      (void)protocol::encode_ack(out, {.type = type, .id = id}, protocol::version::v5_0);
    }));
  }
  void on_connack(const seen& one) {
    EXPECT_EQ(one.reason, protocol::reason_code::success);
    EXPECT_TRUE(one.session_present || !was_greeted_) << id_ << ": a promised session is lost";
    is_greeted_ = was_greeted_ = true;
    if (subscribes_ && !is_subscribed_)
      say_(wire_->bytes_of([&](protocol::outbox& out) {
        const std::array lines{protocol::subscription{.filter = "t", .quality = protocol::qos::exactly_once}};
        (void)protocol::encode_subscribe(out, 10, lines, {}, protocol::version::v5_0);
      }));
    for (const protocol::packet_id id : std::vector{order_}) {
      if (out_.at(id).is_taken)
        answer(protocol::packet_type::pubrel, id);
      else
        send(id, one.session_present);
    }
  }
  void on_pubrec(protocol::packet_id id) {
    const auto known = out_.find(id);
    if (known == out_.end()) return;
    if (!std::exchange(known->second.is_taken, true)) acknowledge(known->second);
    answer(protocol::packet_type::pubrel, id);
  }
  void on_publish(const seen& one) {
    const int number = std::stoi(one.payload);
    const bool is_exact = one.quality == protocol::qos::exactly_once;
    if (!is_exact || taken_.insert(one.id).second) {
      if (received[number]++ == 0) order_of_arrival.push_back(number);
    }
    answer(is_exact ? protocol::packet_type::pubrec : protocol::packet_type::puback, one.id);
  }
  void acknowledge(const outgoing& one) {
    acknowledged.push_back(one.number);
    if (one.quality == protocol::qos::exactly_once) exact.insert(one.number);
  }
  void end(protocol::packet_id id) {
    const auto known = out_.find(id);
    if (known == out_.end()) return;
    if (known->second.quality == protocol::qos::at_least_once) acknowledge(known->second);
    out_.erase(known);
    std::erase(order_, id);
  }

  std::string id_;
  bool subscribes_;
  bool is_greeted_ = false;
  bool was_greeted_ = false;
  bool is_subscribed_ = false;
  script_client* wire_ = nullptr;
  speaker say_{};
  std::map<protocol::packet_id, outgoing> out_{};
  std::vector<protocol::packet_id> order_{};
  std::set<protocol::packet_id> taken_{};
};

/// Whether `reader` has all that was acknowledged to `writer`, and what is at QoS 2 no more than `most` times; once:
/// in the order of publishing.
inline void expect_all_arrived(const ladder& reader, const ladder& writer, int most = 1) {
  for (const int number : writer.acknowledged) {
    const auto count = reader.received.find(number);
    ASSERT_TRUE(count != reader.received.end()) << "lost: " << number;
    if (writer.exact.contains(number)) {
      EXPECT_LE(count->second, most) << "doubled: " << number;
    }
  }
  if (most == 1) {
    EXPECT_TRUE(std::is_sorted(reader.order_of_arrival.begin(), reader.order_of_arrival.end()));
  }
}

} // namespace troupe::test
