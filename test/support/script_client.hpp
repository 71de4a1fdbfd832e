// script_client: an MQTT client that says and hears single packets, for scripted conversations.
//
// Lives here: seen (a packet as a client sees it, owned), what a client can be told to say, script_client.
// Holds:   nothing is said or answered by itself. How octets travel is the business of who derives.
#pragma once

#include <troupe/protocol/connack.hpp>
#include <troupe/protocol/connect.hpp>
#include <troupe/protocol/disconnect.hpp>
#include <troupe/protocol/packet.hpp>
#include <troupe/protocol/subscribe.hpp>
#include <troupe/protocol/unsubscribe.hpp>
#include <troupe/runtime/slab_outbox.hpp>

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace troupe::test {

/// A packet as a client sees it, owned.
struct seen {
  protocol::packet_type type{};
  std::string topic{};
  std::string payload{};
  protocol::qos quality{};
  bool retain = false;
  bool dup = false;
  protocol::packet_id id = 0;
  protocol::reason_code reason{};
  bool session_present = false;
  std::vector<protocol::reason_code> codes{};
  std::vector<std::uint32_t> identifiers{};
  std::optional<std::uint32_t> expiry{};
  std::string assigned_id{};
};

struct connect_options {
  protocol::version version = protocol::version::v5_0;
  std::string id = "client";
  bool clean = true;
  std::uint16_t keep_alive = 0;
  std::uint32_t expiry = 0; // 5.0
  std::optional<protocol::will_view> will{};
  std::uint16_t receive_maximum = 0;     // 5.0; 0 = not said
  std::uint32_t maximum_packet_size = 0; // 5.0; 0 = not said
  std::optional<std::string> user{};
  std::string password{}; // goes with a user
};

struct publish_options {
  protocol::qos quality = protocol::qos::at_most_once;
  bool retain = false;
  bool dup = false;
  protocol::packet_id id = 1;
  std::uint16_t alias = 0;
  std::uint32_t expiry = 0;
};

class script_client {
public:
  script_client() = default;
  script_client(const script_client&) = delete;
  script_client& operator=(const script_client&) = delete;
  virtual ~script_client() = default;

  virtual void send(const std::vector<protocol::octet>& bytes) = 0;
  /// For clients that write their CONNECT by hand.
  void speak(protocol::version version) { version_ = version; }

  template <class F>
  std::vector<protocol::octet> bytes_of(F encode) {
    runtime::slab_outbox out{slabs_};
    encode(out);
    std::vector<runtime::outbox_segment> segments;
    out.move_to(segments, out.size());
    std::vector<protocol::octet> all;
    for (const auto& one : segments) all.insert(all.end(), one.bytes.begin(), one.bytes.end());
    return all;
  }
  template <class F>
  void send_with(F encode) {
    send(bytes_of(encode));
  }
  std::vector<protocol::octet> connect_bytes(const connect_options& how) {
    version_ = how.version;
    protocol::property_block block;
    if (how.expiry != 0) (void)block.set(protocol::property::session_expiry_interval, how.expiry);
    if (how.receive_maximum != 0) (void)block.set(protocol::property::receive_maximum, how.receive_maximum);
    if (how.maximum_packet_size != 0)
      (void)block.set(protocol::property::maximum_packet_size, how.maximum_packet_size);
    protocol::connect packet{.protocol = how.version,
                             .clean_start = how.clean,
                             .keep_alive = how.keep_alive,
                             .client_id = how.id,
                             .will = how.will};
    if (how.user) packet.user_name = *how.user;
    if (how.user) packet.password = protocol::as_octets(how.password);
    if (how.version == protocol::version::v5_0) packet.properties = block.view();
    return bytes_of([&](protocol::outbox& out) { (void)protocol::encode_connect(out, packet); });
  }
  void connect(const connect_options& how = {}) { send(connect_bytes(how)); }
  void subscribe(const std::vector<protocol::subscription>& lines, std::uint32_t identifier = 0,
                 protocol::packet_id id = 10) {
    protocol::property_block block;
    if (identifier != 0) (void)block.add_subscription_identifier(identifier);
    send_with([&](protocol::outbox& out) {
      (void)protocol::encode_subscribe(out, id, lines, block.view(), version_);
    });
  }
  void subscribe(std::string_view filter, protocol::qos quality = protocol::qos::exactly_once,
                 std::uint32_t identifier = 0) {
    subscribe({{.filter = filter, .quality = quality}}, identifier);
  }
  void unsubscribe(std::string_view filter, protocol::packet_id id = 11) {
    send_with([&](protocol::outbox& out) {
      (void)protocol::encode_unsubscribe(out, id, std::span{&filter, 1}, {}, version_);
    });
  }
  std::vector<protocol::octet> publish_bytes(std::string_view topic, std::string_view payload,
                                             const publish_options& how = {}) {
    protocol::property_block block;
    if (how.expiry != 0) (void)block.set(protocol::property::message_expiry_interval, how.expiry);
    protocol::publish packet{.topic = topic,
                             .payload = protocol::as_octets(payload),
                             .topic_alias = how.alias,
                             .quality = how.quality,
                             .retain = how.retain,
                             .dup = how.dup};
    if (version_ == protocol::version::v5_0) packet.properties = block.view();
    if (how.quality != protocol::qos::at_most_once) packet.id = how.id;
    return bytes_of([&](protocol::outbox& out) { (void)protocol::encode_publish(out, packet, version_); });
  }
  void publish(std::string_view topic, std::string_view payload, const publish_options& how = {}) {
    send(publish_bytes(topic, payload, how));
  }
  void acknowledge(protocol::packet_type type, protocol::packet_id id) {
    send_with(
        [&](protocol::outbox& out) { (void)protocol::encode_ack(out, {.type = type, .id = id}, version_); });
  }
  void disconnect(protocol::reason_code reason = protocol::reason_code::success,
                  std::optional<std::uint32_t> expiry = {}) {
    protocol::property_block block;
    if (expiry) (void)block.set(protocol::property::session_expiry_interval, *expiry);
    send_with([&](protocol::outbox& out) {
      (void)protocol::encode_disconnect(out, {.reason = reason, .properties = block.view()}, version_,
                                        protocol::role::client);
    });
  }

protected:
  std::vector<seen> decode(std::vector<protocol::octet> bytes) {
    const std::size_t size = bytes.size();
    bytes.resize(size + protocol::read_slack);
    protocol::framer frames;
    frames.set_version(version_);
    frames.feed({bytes.data(), size});
    std::vector<seen> all;
    for (auto next = frames.next(); next; next = frames.next()) all.push_back(look(*next));
    return all;
  }
  seen look(const protocol::frame& f) {
    seen one{.type = f.type()};
    switch (f.type()) {
    case protocol::packet_type::publish: {
      const auto p = protocol::decode_publish(f.first, f.body, version_, protocol::role::client);
      if (!p) break;
      one.topic = p->topic;
      one.payload = protocol::as_text(p->payload);
      one.quality = p->quality;
      one.retain = p->retain;
      one.dup = p->dup;
      one.id = p->id;
      p->properties.for_each_subscription_identifier(
          [&](std::uint32_t id) { one.identifiers.push_back(id); });
      one.expiry = p->properties.number(protocol::property::message_expiry_interval);
      break;
    }
    case protocol::packet_type::connack: {
      const auto p = protocol::decode_connack(f.first, f.body, version_);
      if (!p) break;
      one.reason = p->reason;
      one.session_present = p->session_present;
      one.assigned_id = p->properties.text(protocol::property::assigned_client_identifier).value_or("");
      break;
    }
    case protocol::packet_type::suback: {
      const auto p = protocol::decode_suback(f.first, f.body, version_);
      if (!p) break;
      one.id = p->id;
      one.codes.assign(p->codes.begin(), p->codes.end());
      break;
    }
    case protocol::packet_type::unsuback: {
      const auto p = protocol::decode_unsuback(f.first, f.body, version_);
      if (!p) break;
      one.id = p->id;
      one.codes.assign(p->codes.begin(), p->codes.end());
      break;
    }
    case protocol::packet_type::disconnect: {
      const auto p = protocol::decode_disconnect(f.first, f.body, version_, protocol::role::client);
      if (p) one.reason = p->reason;
      break;
    }
    case protocol::packet_type::puback:
    case protocol::packet_type::pubrec:
    case protocol::packet_type::pubrel:
    case protocol::packet_type::pubcomp: {
      const auto p = protocol::decode_ack(f.first, f.body, version_);
      if (!p) break;
      one.id = p->id;
      one.reason = p->reason;
      break;
    }
    default: break;
    }
    return one;
  }

  protocol::version version_ = protocol::version::v5_0;

private:
  runtime::slab_pool slabs_{};
};

} // namespace troupe::test
