// publish: the PUBLISH packet, MQTT 5.0 and 3.1.1 section 3.3.
//
// Lives here: the struct, its size, decode and encode for both versions.
// Holds:   a decoded publish is a view into the received bytes; it dies with them.
// Errors:  decode answers errc values only; encode refuses what a peer would have to refuse, before
//          the first octet is written.
// Costs:   no allocation.
#pragma once

#include "errc.hpp"
#include "outbox.hpp"
#include "properties.hpp"
#include "result.hpp"
#include "slice.hpp"
#include "vocabulary.hpp"

#include <cstddef>
#include <cstring>
#include <string_view>

namespace troupe::protocol {

class topic_memory;

/// A PUBLISH as views. On the way in all members point into the received frame.
struct publish {
  std::string_view topic{}; // empty only when a topic alias stands for it (5.0)
  octets payload{};
  properties_view properties{};  // empty in 3.1.1
  packet_id id = 0;              // 0 exactly when quality is at_most_once
  std::uint16_t topic_alias = 0; // 0 = none; also stands in `properties` of a decoded packet
  qos quality = qos::at_most_once;
  bool retain = false;
  bool dup = false;
};

/// Decodes the body of a PUBLISH. `first` is the packet's first octet (type and flags), `body`
/// what follows the remaining length; read_slack octets after it must be readable. `receiver`
/// says which end decodes (a server refuses subscription identifiers [MQTT-3.3.4-6]).
/// Errors beside malformed_packet and protocol_error: invalid_topic_name, topic_alias_invalid.
result<publish> decode_publish(octet first, octets body, version v, role receiver) noexcept;

/// Checks and appends one PUBLISH. The payload is borrowed when `payload_owner` is not null and the
/// payload has at least borrow_threshold octets. When `packet.topic_alias` is not 0, it is written
/// as a property in addition to `packet.properties`, which must not hold one. `sender` says which
/// end encodes (only a server sends subscription identifiers).
/// On error nothing has been written.
result<void> encode_publish(outbox& out, const publish& packet, version v, keeper* payload_owner = nullptr,
                            role sender = role::server);

/// The two halves of encode_publish, for hosts that know a packet to be right (it was decoded, or
/// checked when it was taken in): what encode_publish would refuse ...
result<void> check_encodable(const publish& packet, version v, role sender = role::server) noexcept;
/// ... and the writing of a packet for which check_encodable found nothing.
void append_publish(outbox& out, const publish& packet, version v, keeper* payload_owner = nullptr);

/// The whole packet's size in octets as encode_publish would write it, fixed header included.
std::size_t encoded_size(const publish& packet, version v) noexcept;

/// A publish without properties, alias and repetition: what nearly all of them are. Its size is known
/// with a few additions, and it is written in one go.
class bare_publish {
public:
  bare_publish(std::size_t topic, std::size_t payload, qos quality, version v) noexcept
      : has_id_{quality != qos::at_most_once},
        has_properties_{v == version::v5_0},
        remaining_{2 + topic + (has_id_ ? 2U : 0U) + (has_properties_ ? 1U : 0U) + payload} {}

  /// The whole packet, fixed header included.
  std::size_t size() const noexcept { return 1 + length_octets() + remaining_; }
  /// Where the octets of the topic are, from the packet's beginning.
  std::size_t topic_at() const noexcept { return 3 + length_octets(); }
  /// Writes the packet to `to`, where size() octets are free; answers its end. The topic has been checked.
  /// `id` is written where there is one.
  octet* write(octet* to, std::string_view topic, octets payload, qos quality, bool retain,
               packet_id id) const noexcept {
    *to++ = static_cast<octet>(0x30U | static_cast<unsigned>(quality) << 1U | (retain ? 1U : 0U));
    std::size_t rest = remaining_;
    for (; rest >= 0x80; rest >>= 7U) *to++ = static_cast<octet>((rest & 0x7FU) | 0x80U);
    *to++ = static_cast<octet>(rest);
    to = write_two(to, topic.size());
    std::memcpy(to, topic.data(), topic.size());
    to += topic.size();
    if (has_id_) to = write_two(to, id);
    if (has_properties_) *to++ = 0;
    if (!payload.empty()) std::memcpy(to, payload.data(), payload.size());
    return to + payload.size();
  }

private:
  std::size_t length_octets() const noexcept {
    return remaining_ < 0x80 ? 1U : remaining_ < 0x4000 ? 2U : remaining_ < 0x20'0000 ? 3U : 4U;
  }
  static octet* write_two(octet* to, std::size_t value) noexcept {
    to[0] = static_cast<octet>(value >> 8U);
    to[1] = static_cast<octet>(value & 0xFFU);
    return to + 2;
  }

  bool has_id_;
  bool has_properties_; // their length, that is: 0
  std::size_t remaining_;
};

/// Whether the payload is text if its payload format indicator says so [MQTT-3.3.2-4]. A receiver
/// may leave this open; the decoder does.
bool is_payload_as_claimed(const publish& packet) noexcept;

/// For the switch over packets: decodes into `packet`; 0 means that all is well. A topic that the memory
/// knows is not judged again.
errc decode_publish_into(publish& packet, octet first, octets body, version v, role receiver,
                         topic_memory& memory) noexcept;

} // namespace troupe::protocol
