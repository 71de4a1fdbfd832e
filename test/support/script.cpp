#include "script.hpp"

#include <troupe/protocol/auth.hpp>
#include <troupe/protocol/disconnect.hpp>

#include <gtest/gtest.h>

#include <algorithm>

namespace support {

// -- memory_outbox -------------------------------------------------------------------

void memory_outbox::borrow(mqtt::octets payload, mqtt::keeper*) {
  std::copy(payload.begin(), payload.end(), reserve(payload.size()));
  commit(cursor_ + payload.size());
}

bytes memory_outbox::take() {
  bytes out{data_.data(), cursor_};
  cursor_ = data_.data();
  return out;
}

void memory_outbox::grow(std::size_t count) {
  const auto used = static_cast<std::size_t>(cursor_ - data_.data());
  data_.resize(std::max(data_.size() * 2, used + count + 256));
  cursor_ = data_.data() + used;
  end_ = data_.data() + data_.size();
}

// -- hosts ---------------------------------------------------------------------------

mqtt::kept_publish stored_publish::kept() const {
  mqtt::kept_publish out{};
  out.packet.topic = topic;
  out.packet.payload = mqtt::octets{payload};
  out.packet.properties = properties.view();
  out.packet.quality = quality;
  out.packet.retain = retain;
  out.withdrawn = withdrawn;
  return out;
}

namespace {

seen_message see(const mqtt::publish& packet) {
  return {std::string{packet.topic},
          std::string{mqtt::as_text(packet.payload)},
          packet.quality,
          packet.retain,
          packet.dup,
          packet.id};
}

} // namespace

void recording_client::on_connected(const mqtt::connack& packet) {
  connected.push_back(packet.session_present);
  if (subscribes_when_connected == nullptr) return;
  const mqtt::subscription line{.filter = "up"};
  EXPECT_TRUE(subscribes_when_connected->subscribe(1'000, {&line, 1}, {}, {}));
}

bool recording_client::on_deliver(const mqtt::publish& packet, mqtt::delivery_tag tag) {
  messages.push_back(see(packet));
  if (packet.quality == mqtt::qos::at_most_once || settles_at_once) return true;
  unsettled.push_back(tag);
  return false;
}

void recording_client::on_complete(mqtt::request_token token, const mqtt::verdict& how) {
  ends.push_back({token, how.reason, how.error, how.by, {how.granted.begin(), how.granted.end()}});
}

mqtt::kept_publish recording_client::recall(mqtt::request_token token) { return kept.at(token).kept(); }

void recording_client::on_auth(const mqtt::auth& packet) { auths.push_back(packet.reason); }

void recording_client::on_close(const mqtt::closing& why) {
  closes.push_back({why.error, why.reason, why.by});
}

void recording_server::on_connect(const mqtt::connect& packet) { connects.emplace_back(packet.client_id); }

mqtt::publish_verdict recording_server::on_publish(const mqtt::publish& packet, mqtt::octets, bool same) {
  messages.push_back(see(packet));
  same_bytes.push_back(same);
  return answer;
}

void recording_server::on_subscribe(const mqtt::subscribe& packet) {
  asked.push_back(packet.id);
  for (const mqtt::subscription& line : packet.filters) filters.push_back("+" + std::string{line.filter});
}

void recording_server::on_unsubscribe(const mqtt::unsubscribe& packet) {
  asked.push_back(packet.id);
  for (const std::string_view filter : packet.filters) filters.push_back("-" + std::string{filter});
}

void recording_server::on_auth(const mqtt::auth& packet) { auths.push_back(packet.reason); }

void recording_server::on_disconnect(const mqtt::disconnect& packet) { disconnects.push_back(packet.reason); }

void recording_server::on_close(const mqtt::closing& why) {
  closes.push_back({why.error, why.reason, why.by});
}

// -- scene ---------------------------------------------------------------------------

template <class Machine>
bool scene::feed(Machine& machine, std::string_view hex, mqtt::version v) {
  bytes input = from_hex(hex);
  const std::size_t size = input.size();
  input.resize(size + mqtt::read_slack);
  framer_.feed({input.data(), size});
  for (;;) {
    const mqtt::result<mqtt::frame> frame = framer_.next();
    if (!frame) {
      if (frame.error() != mqtt::errc::need_more) machine.on_bad_bytes(frame.error(), now);
      return frame.error() == mqtt::errc::need_more;
    }
    const mqtt::result<mqtt::inbound_packet> packet = mqtt::decode_packet(*frame, v, here_);
    if (!packet) {
      machine.on_bad_bytes(packet.error(), now);
      return false;
    }
    if (!machine.on_packet(*packet, now)) return false;
  }
}

template <class Machine>
void scene::pass(Machine& machine, mqtt::duration time) {
  const mqtt::time_point end = now + time;
  while (machine.next_deadline() <= end) {
    now = std::max(now, machine.next_deadline());
    machine.on_deadline(now);
  }
  now = end;
}

void scene::compare(memory_outbox& box, std::string_view hex) {
  EXPECT_EQ(to_hex(box.take()), to_hex(from_hex(hex)));
}

// -- client_scene --------------------------------------------------------------------

client_scene::client_scene(mqtt::client_machine_options options)
    : scene{mqtt::role::client}, machine{std::move(options), host} {}

client_scene& client_scene::connects(bool session_present, std::string_view connack) {
  framer_ = mqtt::framer{};
  framer_.set_version(machine.protocol());
  machine.transport_up(now);
  host.box.take();
  if (!connack.empty()) return reply(connack);
  const std::string flag = session_present ? "01" : "00";
  return machine.protocol() == mqtt::version::v5_0 ? reply("20 03" + flag + "00 00")
                                                   : reply("20 02" + flag + "00");
}

client_scene& client_scene::cut() {
  machine.transport_down(now);
  host.box.take();
  return *this;
}

client_scene& client_scene::expect(std::string_view hex) {
  compare(host.box, hex);
  return *this;
}

client_scene& client_scene::reply(std::string_view hex) {
  feed(machine, hex, machine.protocol());
  return *this;
}

client_scene& client_scene::after(mqtt::duration time) {
  pass(machine, time);
  return *this;
}

mqtt::request_token client_scene::publish(std::string_view topic, std::string_view payload, mqtt::qos quality,
                                          bool retain) {
  const mqtt::octets data = mqtt::as_octets(payload);
  return publish({.topic = std::string{topic},
                  .payload = {data.begin(), data.end()},
                  .quality = quality,
                  .retain = retain});
}

mqtt::request_token client_scene::publish(stored_publish what) {
  const mqtt::request_token token = next_token_++;
  host.kept[token] = std::move(what);
  last_error = machine.publish(token, host.kept[token].kept(), now).error();
  return token;
}

mqtt::request_token client_scene::subscribe(std::string_view filter, mqtt::qos quality) {
  const mqtt::request_token token = next_token_++;
  const mqtt::subscription line{.filter = filter, .quality = quality};
  last_error = machine.subscribe(token, {&line, 1}, {}, now).error();
  return token;
}

mqtt::request_token client_scene::unsubscribe(std::string_view filter) {
  const mqtt::request_token token = next_token_++;
  last_error = machine.unsubscribe(token, {&filter, 1}, {}, now).error();
  return token;
}

seen_end client_scene::end_of(mqtt::request_token token) const {
  seen_end found;
  int count = 0;
  for (const seen_end& end : host.ends) {
    if (end.token == token) {
      found = end;
      ++count;
    }
  }
  EXPECT_EQ(count, 1) << "ends of token " << token;
  return found;
}

bool client_scene::is_open(mqtt::request_token token) const {
  return std::none_of(host.ends.begin(), host.ends.end(),
                      [&](const seen_end& end) { return end.token == token; });
}

// -- server_scene --------------------------------------------------------------------

server_scene::server_scene(mqtt::server_machine_options chosen) : scene{mqtt::role::server}, options{chosen} {
  connection();
}

server_scene& server_scene::connection() {
  machine.emplace(options, host, now);
  framer_ = mqtt::framer{options.maximum_packet_size};
  return *this;
}

server_scene& server_scene::connects(mqtt::version v, bool session_present, std::string_view connect) {
  connection();
  framer_.set_version(v);
  if (!connect.empty())
    reply(connect);
  else if (v == mqtt::version::v5_0)
    reply("10 0e 00 04 'MQTT' 05 02 00 00 00 00 01 'c'");
  else
    reply("10 0d 00 04 'MQTT' 04 02 00 00 00 01 'c'");
  accept(session_present);
  return *this;
}

server_scene& server_scene::accept(bool session_present) {
  // The CONNACK goes, what is sent again behind it stays.
  memory_outbox all;
  machine->accept({.session_present = session_present}, session, now);
  const bytes sent = host.box.take();
  const std::size_t connack = sent.size() < 2 ? sent.size() : 2U + sent[1];
  const mqtt::octets rest{sent.data() + connack, sent.size() - connack};
  if (!rest.empty()) host.box.borrow(rest, nullptr);
  return *this;
}

server_scene& server_scene::cut() {
  machine->transport_down(now);
  host.box.take();
  return *this;
}

server_scene& server_scene::expect(std::string_view hex) {
  compare(host.box, hex);
  return *this;
}

server_scene& server_scene::reply(std::string_view hex) {
  feed(*machine, hex, machine->protocol());
  return *this;
}

server_scene& server_scene::after(mqtt::duration time) {
  pass(*machine, time);
  return *this;
}

mqtt::server_machine::sent server_scene::deliver(mqtt::request_token token, std::string_view topic,
                                                 std::string_view payload, mqtt::qos quality) {
  const mqtt::octets data = mqtt::as_octets(payload);
  host.kept[token] = {.topic = std::string{topic}, .payload = {data.begin(), data.end()}, .quality = quality};
  return machine->deliver(token, host.kept[token].kept(), now);
}

} // namespace support
