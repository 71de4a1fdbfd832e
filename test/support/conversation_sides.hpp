// conversation_sides: the hosts of a client_machine and a server_machine that talk to each other.
//
// Lives here: client_side, server_side; the ledger of what arrived; referee, who decides what chance leaves
//          open.
// Holds:   every message is a number, and bears the topic of its quality.
#pragma once

#include "script.hpp"

#include <troupe/protocol/client_machine.hpp>
#include <troupe/protocol/server_machine.hpp>

#include <cstdint>
#include <deque>
#include <gtest/gtest.h>
#include <map>
#include <string>
#include <vector>

namespace troupe::protocol::talk {

/// What the hosts ask of whoever made them.
class referee {
public:
  virtual bool may_defer() = 0;
  virtual void accept() = 0;

protected:
  ~referee() = default;
};

/// What arrived on one side, by quality.
struct ledger {
  std::map<qos, std::vector<std::uint32_t>> numbers;

  void note(const publish& packet) {
    numbers[packet.quality].push_back(
        static_cast<std::uint32_t>(std::stoul(std::string{as_text(packet.payload)})));
    EXPECT_EQ(packet.topic, packet.quality == qos::at_most_once ? "quality/zero" : "quality/more");
  }
};

inline ::support::stored_publish numbered(std::uint32_t n, qos quality) {
  const std::string text = std::to_string(n);
  return {.topic = quality == qos::at_most_once ? "quality/zero" : "quality/more",
          .payload = {text.begin(), text.end()},
          .quality = quality};
}

class client_side final : public client_host {
public:
  explicit client_side(referee& both) : both_{&both} {}
  outbox& out() override { return box; }
  void on_connected(const connack&) override { knows_session = true; }
  bool on_deliver(const publish& packet, delivery_tag tag) override;
  void on_complete(request_token token, const verdict& how) override;
  kept_publish recall(request_token token) override { return kept.at(token).kept(); }
  void on_auth(const auth&) override { ADD_FAILURE(); }
  void on_close(const closing& why) override { ADD_FAILURE() << why.error.message(); }

  ::support::memory_outbox box;
  std::map<request_token, ::support::stored_publish> kept;
  std::map<request_token, std::error_code> ends;
  std::vector<delivery_tag> unsettled;
  bool knows_session = false; // heard of the session's beginning
  ledger seen;

private:
  referee* both_;
};

class server_side final : public server_host {
public:
  explicit server_side(referee& both) : both_{&both} {}
  outbox& out() override { return box; }
  void on_connect(const connect& packet) override;
  publish_verdict on_publish(const publish& packet, octets whole, bool same_bytes) override;
  void on_subscribe(const subscribe&) override { ADD_FAILURE(); }
  void on_unsubscribe(const unsubscribe&) override { ADD_FAILURE(); }
  void on_delivered(request_token token) override { EXPECT_EQ(kept.erase(token), 1U) << "delivered twice"; }
  kept_publish recall(request_token token) override { return kept.at(token).kept(); }
  void on_auth(const auth&) override { ADD_FAILURE(); }
  void on_disconnect(const disconnect&) override { ADD_FAILURE(); }
  void on_close(const closing& why) override { ADD_FAILURE() << why.error.message(); }

  ::support::memory_outbox box;
  std::map<request_token, ::support::stored_publish> kept;
  std::deque<request_token> queue;
  std::vector<packet_id> unsettled;
  ledger seen;

private:
  referee* both_;
};

inline bool client_side::on_deliver(const publish& packet, delivery_tag tag) {
  seen.note(packet);
  if (packet.quality == qos::at_most_once || !both_->may_defer()) return true;
  unsettled.push_back(tag);
  return false;
}

inline void client_side::on_complete(request_token token, const verdict& how) {
  EXPECT_TRUE(ends.emplace(token, how.error).second) << "ended twice: " << token;
}

inline void server_side::on_connect(const connect&) { both_->accept(); }

inline publish_verdict server_side::on_publish(const publish& packet, octets, bool) {
  seen.note(packet);
  if (packet.quality == qos::at_most_once || !both_->may_defer()) return {};
  // A server settles what it took before it forgets the connection; QoS 2 must not wait across one.
  if (packet.quality == qos::exactly_once) return {};
  unsettled.push_back(packet.id);
  return {.deferred = true};
}

} // namespace troupe::protocol::talk
