// script: one machine, and a peer that reads from a script: expect these octets, reply with those, let
// time pass.
//
// Lives here: memory_outbox, the recording hosts, client_scene and server_scene.
// Holds:   the peer's octets pass through the real framer and decoder; time stands still unless after()
//          moves it, and deadlines fire at their own time on the way.
#pragma once

#include "hex.hpp"

#include <troupe/protocol/client_machine.hpp>
#include <troupe/protocol/server_machine.hpp>

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace support {

namespace mqtt = troupe::protocol;

/// Collects what is sent.
class memory_outbox final : public mqtt::outbox {
public:
  void borrow(mqtt::octets payload, mqtt::keeper* owner) override;
  /// Everything since the last take().
  bytes take();
  bool empty() const noexcept { return cursor_ == data_.data() || data_.empty(); }

private:
  void grow(std::size_t count) override;
  bytes data_;
};

/// A publish as a host keeps it.
struct stored_publish {
  std::string topic;
  bytes payload;
  mqtt::qos quality = mqtt::qos::at_most_once;
  bool retain = false;
  mqtt::property_block properties{};
  std::error_code withdrawn{};

  mqtt::kept_publish kept() const;
};

/// A message as the application saw it.
struct seen_message {
  std::string topic;
  std::string payload;
  mqtt::qos quality = mqtt::qos::at_most_once;
  bool retain = false;
  bool dup = false;
  mqtt::packet_id id = 0;
};

struct seen_end {
  mqtt::request_token token = 0;
  mqtt::reason_code reason = mqtt::reason_code::success;
  std::error_code error{};
  mqtt::initiator by = mqtt::initiator::library;
  std::vector<mqtt::reason_code> granted{};
};

struct seen_close {
  std::error_code error{};
  mqtt::reason_code reason = mqtt::reason_code::success;
  mqtt::initiator by = mqtt::initiator::library;
};

class recording_client : public mqtt::client_host {
public:
  mqtt::outbox& out() override { return box; }
  void on_connected(const mqtt::connack& packet) override;
  bool on_deliver(const mqtt::publish& packet, mqtt::delivery_tag tag) override;
  void on_complete(mqtt::request_token token, const mqtt::verdict& how) override;
  mqtt::kept_publish recall(mqtt::request_token token) override;
  void on_auth(const mqtt::auth& packet) override;
  void on_close(const mqtt::closing& why) override;

  memory_outbox box;
  std::map<mqtt::request_token, stored_publish> kept;
  bool settles_at_once = true;
  std::vector<mqtt::delivery_tag> unsettled;
  std::vector<seen_message> messages;
  std::vector<seen_end> ends;
  std::vector<seen_close> closes;
  std::vector<bool> connected; // session present, one per CONNACK
  std::vector<mqtt::reason_code> auths;
  mqtt::client_machine* subscribes_when_connected = nullptr; // sends one SUBSCRIBE for "up"
};

class recording_server : public mqtt::server_host {
public:
  mqtt::outbox& out() override { return box; }
  void on_connect(const mqtt::connect& packet) override;
  mqtt::publish_verdict on_publish(const mqtt::publish& packet, mqtt::octets whole, bool same_bytes) override;
  void on_subscribe(const mqtt::subscribe& packet) override;
  void on_unsubscribe(const mqtt::unsubscribe& packet) override;
  void on_delivered(mqtt::request_token token) override { delivered.push_back(token); }
  mqtt::kept_publish recall(mqtt::request_token token) override { return kept.at(token).kept(); }
  void on_auth(const mqtt::auth& packet) override;
  void on_disconnect(const mqtt::disconnect& packet) override;
  void on_close(const mqtt::closing& why) override;

  memory_outbox box;
  std::map<mqtt::request_token, stored_publish> kept;
  mqtt::publish_verdict answer{};
  std::vector<seen_message> messages;
  std::vector<bool> same_bytes;
  std::vector<mqtt::request_token> delivered;
  std::vector<std::string> connects; // client ids
  std::vector<std::string> filters;  // subscribed (+) and unsubscribed (-)
  std::vector<mqtt::packet_id> asked;
  std::vector<mqtt::reason_code> disconnects;
  std::vector<mqtt::reason_code> auths;
  std::vector<seen_close> closes;
};

/// What both scenes share: time, the peer's framer, hexadecimal expectations.
class scene {
public:
  mqtt::time_point now{};

protected:
  explicit scene(mqtt::role here) : here_{here} {}
  ~scene() = default;
  template <class Machine>
  bool feed(Machine& machine, std::string_view hex, mqtt::version v);
  template <class Machine>
  void pass(Machine& machine, mqtt::duration time);
  void compare(memory_outbox& box, std::string_view hex);

  mqtt::framer framer_;

private:
  mqtt::role here_;
};

/// A client_machine under test.
class client_scene : public scene {
public:
  explicit client_scene(mqtt::client_machine_options options = {});

  /// transport_up, CONNECT discarded, then CONNACK with success: `connack` or the plainest one.
  client_scene& connects(bool session_present = false, std::string_view connack = {});
  client_scene& cut();
  client_scene& expect(std::string_view hex);
  client_scene& reply(std::string_view hex);
  client_scene& after(mqtt::duration time);
  /// Keeps and publishes; the result is in last_result. Answers the token.
  mqtt::request_token publish(std::string_view topic, std::string_view payload, mqtt::qos quality,
                              bool retain = false);
  mqtt::request_token publish(stored_publish what);
  mqtt::request_token subscribe(std::string_view filter, mqtt::qos quality);
  mqtt::request_token unsubscribe(std::string_view filter);
  /// How `token` ended; fails the test unless it ended exactly once.
  seen_end end_of(mqtt::request_token token) const;
  bool is_open(mqtt::request_token token) const;

  recording_client host;
  mqtt::client_machine machine;
  std::error_code last_error{};
  bool on_bad_bytes = true; // tells the machine of undecodable octets

private:
  mqtt::request_token next_token_ = 1;
};

/// A server_machine under test; each connect() makes a new machine over the same session.
class server_scene : public scene {
public:
  explicit server_scene(mqtt::server_machine_options options = {});

  /// A new connection: a new machine, nothing fed yet.
  server_scene& connection();
  /// The plainest CONNECT of this version, accepted; CONNACK discarded.
  server_scene& connects(mqtt::version v, bool session_present = false, std::string_view connect = {});
  server_scene& accept(bool session_present = false);
  server_scene& cut();
  server_scene& expect(std::string_view hex);
  server_scene& reply(std::string_view hex);
  server_scene& after(mqtt::duration time);
  mqtt::server_machine::sent deliver(mqtt::request_token token, std::string_view topic,
                                     std::string_view payload, mqtt::qos quality);

  mqtt::server_machine_options options;
  recording_server host;
  mqtt::exchange session{mqtt::role::server};
  std::optional<mqtt::server_machine> machine;
};

} // namespace support
