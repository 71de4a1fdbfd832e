// machine_input: what the fuzzers of both machines share: reading a script out of any octets, an outbox,
// and the promise that whatever a machine says is well-formed.
#pragma once

#include <troupe/protocol/auth.hpp>
#include <troupe/protocol/connack.hpp>
#include <troupe/protocol/connect.hpp>
#include <troupe/protocol/disconnect.hpp>
#include <troupe/protocol/framer.hpp>
#include <troupe/protocol/packet.hpp>
#include <troupe/protocol/subscribe.hpp>
#include <troupe/protocol/unsubscribe.hpp>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace fuzzing {

namespace mqtt = troupe::protocol;

inline void demand(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "broken: %s\n", what);
  std::abort();
}

/// Reads a script; reads zeros behind its end.
class script {
public:
  script(const std::uint8_t* data, std::size_t size) noexcept : at_{data}, end_{data + size} {}
  bool is_over() const noexcept { return at_ == end_; }
  std::uint8_t next() noexcept { return is_over() ? std::uint8_t{0} : *at_++; }
  /// The next octets, with slack behind them, on the heap so that one octet too many is seen.
  std::vector<mqtt::octet> take(std::size_t most) {
    const std::size_t count = std::min(most, static_cast<std::size_t>(end_ - at_));
    std::vector<mqtt::octet> out(count + mqtt::read_slack);
    std::copy_n(at_, count, out.begin());
    at_ += count;
    return out;
  }

private:
  const std::uint8_t* at_;
  const std::uint8_t* end_;
};

class memory_outbox final : public mqtt::outbox {
public:
  void borrow(mqtt::octets payload, mqtt::keeper*) override {
    mqtt::octet* const to = reserve(payload.size());
    commit(std::copy(payload.begin(), payload.end(), to));
  }
  /// What was written, with slack behind it; starts anew.
  std::vector<mqtt::octet> take() {
    std::vector<mqtt::octet> out(data_.data(), cursor_);
    out.resize(out.size() + mqtt::read_slack);
    cursor_ = data_.data();
    return out;
  }

private:
  void grow(std::size_t count) override {
    const auto used = static_cast<std::size_t>(cursor_ - data_.data());
    data_.resize(std::max(data_.size() * 2, used + count + 256));
    cursor_ = data_.data() + used;
    end_ = data_.data() + data_.size();
  }
  std::vector<mqtt::octet> data_;
};

/// Whether one rare packet decodes at `receiver`.
inline bool is_well_formed(const mqtt::frame& f, mqtt::version v, mqtt::role receiver) {
  switch (f.type()) {
  case mqtt::packet_type::connect: return mqtt::decode_connect(f.first, f.body).has_value();
  case mqtt::packet_type::connack: return mqtt::decode_connack(f.first, f.body, v).has_value();
  case mqtt::packet_type::subscribe: return mqtt::decode_subscribe(f.first, f.body, v).has_value();
  case mqtt::packet_type::suback: return mqtt::decode_suback(f.first, f.body, v).has_value();
  case mqtt::packet_type::unsubscribe: return mqtt::decode_unsubscribe(f.first, f.body, v).has_value();
  case mqtt::packet_type::unsuback: return mqtt::decode_unsuback(f.first, f.body, v).has_value();
  case mqtt::packet_type::disconnect:
    return mqtt::decode_disconnect(f.first, f.body, v, receiver).has_value();
  case mqtt::packet_type::auth: return mqtt::decode_auth(f.first, f.body, v, receiver).has_value();
  default: return f.body.empty(); // PINGREQ, PINGRESP
  }
}

/// Calls `f(inbound_packet)` for every packet in `written`, which must all be well-formed.
template <class F>
void read_back(std::vector<mqtt::octet> written, mqtt::version v, mqtt::role receiver, F f) {
  mqtt::framer frames;
  frames.set_version(v);
  frames.feed({written.data(), written.size() - mqtt::read_slack});
  for (;;) {
    const mqtt::result<mqtt::frame> next = frames.next();
    if (!next) {
      demand(next.error() == mqtt::errc::need_more, "what is said can be cut into packets");
      demand(frames.wanted().empty(), "what is said ends with a packet");
      return;
    }
    const mqtt::result<mqtt::inbound_packet> packet = mqtt::decode_packet(*next, v, receiver);
    demand(packet.has_value(), "what is said can be decoded");
    if (const auto* rare = std::get_if<mqtt::frame>(&*packet))
      demand(is_well_formed(*rare, v, receiver), "what is said is well-formed");
    f(*packet);
  }
}

/// Feeds `input` to `machine` as a connection would.
template <class Machine>
void feed(mqtt::framer& frames, Machine& machine, const std::vector<mqtt::octet>& input, mqtt::version v,
          mqtt::role receiver, mqtt::time_point now) {
  frames.feed({input.data(), input.size() - mqtt::read_slack});
  for (;;) {
    const mqtt::result<mqtt::frame> next = frames.next();
    if (!next) {
      if (next.error() != mqtt::errc::need_more) machine.on_bad_bytes(next.error(), now);
      return;
    }
    const mqtt::result<mqtt::inbound_packet> packet = mqtt::decode_packet(*next, v, receiver);
    if (!packet) {
      machine.on_bad_bytes(packet.error(), now);
      return;
    }
    if (!machine.on_packet(*packet, now)) return;
  }
}

} // namespace fuzzing
