// packet: one of fifteen; the only switch over packet kinds.
//
// Lives here: inbound_packet, the form in which packets rise from connection to session.
// Holds:   PUBLISH and the four acknowledgements are decoded here, since they are the stream; every
//          other kind is rare, stays a frame, and is decoded by the machine that knows what to do.
// Costs:   no allocation. The stream itself, a topic that stays and bare acknowledgements, is read inline.
#pragma once

#include "ack.hpp"
#include "framer.hpp"
#include "outbox.hpp"
#include "publish.hpp"
#include "topic_memory.hpp"

#include <string_view>
#include <variant>

namespace troupe::protocol {

/// `publish` with the bytes it came in (for unchanged forwarding), an ack, or another frame.
struct inbound_publish {
  inbound_publish() noexcept {} // not `= default`, which would clear all of it before setting members
  publish packet;
  octets whole{};
};
using inbound_packet = std::variant<inbound_publish, ack, frame>;

/// Decodes what is frequent, passes the rest on. The first-octet flags were judged by the framer.
result<inbound_packet> decode_packet(const frame& f, version v, role receiver) noexcept;
/// The same for a stream, decoded where the packet is to stay, which spares a copy; 0 means that all is
/// well. What the memory knows is not judged again; it must hold nothing that is gone.
inline errc decode_packet_into(inbound_packet& into, const frame& f, version v, role receiver,
                               topic_memory& memory) noexcept;

/// PINGREQ and PINGRESP say nothing but that they came: `body` must be empty [MQTT-3.12.1-1].
result<void> decode_ping(octet first, octets body) noexcept;
inline constexpr std::size_t ping_size = 2;
void encode_pingreq(outbox& out);
void encode_pingresp(outbox& out);

/// "PUBLISH", "CONNACK", ... for logs and messages.
std::string_view name(packet_type type) noexcept;

namespace detail {

errc decode_any_into(inbound_packet& into, const frame& f, version v, role receiver,
                     topic_memory& memory) noexcept;

/// The form is kept when it is the right one: its members are written anyway.
template <class Form>
Form& form_in(inbound_packet& into) noexcept {
  Form* const held = std::get_if<Form>(&into);
  return held != nullptr ? *held : into.emplace<Form>();
}

/// A PUBLISH in the middle of a burst: the topic before, no DUP, no properties. False: something is
/// different, or wrong, and decode_any_into() has to look.
inline bool read_known_publish(inbound_packet& into, const frame& f, version v,
                               const topic_memory& memory) noexcept {
  constexpr unsigned all_but_quality_and_retain = 0xF8;
  const unsigned quality = (f.first >> 1U) & 3U;
  if ((f.first & all_but_quality_and_retain) != 0x30U || quality == 3) return false;
  const octet* at = f.body.data();
  const octet* const end = at + f.body.size();
  const std::size_t size = memory.last().size();
  const std::size_t head = 2 + size + (quality != 0 ? 2 : 0) + (v == version::v5_0 ? 1 : 0);
  if (f.body.size() < head || (std::size_t{at[0]} << 8U | at[1]) != size || !memory.knows({at + 2, size}))
    return false;
  at += 2 + size;
  unsigned id = 0;
  if (quality != 0) {
    id = static_cast<unsigned>(at[0]) << 8U | at[1];
    if (id == 0) return false;
    at += 2;
  }
  if (v == version::v5_0 && *at++ != 0) return false;
  inbound_publish& held = form_in<inbound_publish>(into);
  held.whole = {f.whole.data(), f.whole.size()};
  held.packet = {.topic = memory.last(),
                 .payload = {at, end},
                 .properties = {},
                 .id = static_cast<packet_id>(id),
                 .topic_alias = 0,
                 .quality = static_cast<qos>(quality),
                 .retain = (f.first & 1U) != 0,
                 .dup = false};
  return true;
}

} // namespace detail

inline errc decode_packet_into(inbound_packet& into, const frame& f, version v, role receiver,
                               topic_memory& memory) noexcept {
  if (detail::read_known_publish(into, f, v, memory)) [[likely]]
    return errc{};
  if (ack bare; f.body.size() == 2 && read_bare_ack(bare, f.first, f.body.data())) [[likely]] {
    detail::form_in<ack>(into) = bare;
    return errc{};
  }
  return detail::decode_any_into(into, f, v, receiver, memory);
}

} // namespace troupe::protocol
