// burst_reader: what streams consist of, read without being cut and decoded.
//
// Lives here: burst_reader.
// Holds:   PUBLISH packets that differ from the one before in payload and packet id only, and acknowledgements that
//          say nothing but success. What one whole, judged PUBLISH looked like is remembered: a packet that
//          begins with the same octets (flags, remaining length, topic, no properties) is as right as that
//          one was. Payloads are anything [MQTT-3.3.3]; a packet id of 0, and everything that is different, is
//          left to framer and decoder.
// Threads: belongs to whoever reads one stream, for one input: the packet learnt must stay where it is.
// Costs:   16 octets of header and topic a step; nothing is written but the answer.
#pragma once

#include "framer.hpp"
#include "packet.hpp"
#include "topic_memory.hpp"

#include <cstddef>
#include <cstdint>

namespace troupe::protocol {

class burst_reader {
public:
  /// `first` was cut and decoded, and has read_slack readable octets behind it. One that says more than topic
  /// and payload is not learnt.
  void learn(const inbound_publish& first, version v) noexcept {
    const publish& said = first.packet;
    if (said.dup || said.topic_alias != 0 || !said.properties.empty()) return;
    first_ = first;
    begin_ = first.whole.data();
    size_ = first.whole.size();
    payload_at_ = size_ - said.payload.size();
    has_id_ = said.quality != qos::at_most_once;
    has_properties_ = v == version::v5_0;
    same_ = has_id_ ? payload_at_ - 2 - (has_properties_ ? 1 : 0) : payload_at_;
  }

  /// Where the next packet begins, if it is one like it; else null, and nothing has happened.
  const octet* next(framer& stream) const noexcept {
    const octets rest = stream.at_hand();
    if (size_ == 0 || rest.size() < size_ || !is_like(rest.data())
        || (has_id_ && !has_good_id(rest.data() + same_)))
      return nullptr;
    stream.skip(size_);
    return rest.data();
  }

  /// The next packet, if it is an acknowledgement of two octets: success, in either version. Else nothing has
  /// happened.
  static bool next_ack(framer& stream, ack& into) noexcept {
    constexpr std::size_t size = 4;
    const octets rest = stream.at_hand();
    if (rest.size() < size || rest[1] != 2 || !read_bare_ack(into, rest[0], rest.data() + 2)) return false;
    stream.skip(size);
    return true;
  }

  /// All packets like it that follow, one behind the other, when it is one of QoS 0.
  octets take_all(framer& stream) const noexcept {
    if (size_ == 0 || has_id_) return {};
    const octets rest = stream.at_hand();
    const octet* end = rest.data();
    for (std::size_t left = rest.size(); left >= size_ && is_like(end); left -= size_) end += size_;
    const octets found{rest.data(), end};
    stream.skip(found.size());
    return found;
  }
  /// The size of each.
  std::size_t size() const noexcept { return size_; }
  /// The packet learnt: all of them once adapted.
  const inbound_publish& first() const noexcept { return first_; }
  /// Makes a copy of first() the packet that begins there.
  void adapt(inbound_publish& copy, const octet* begin) const noexcept {
    copy.whole = {begin, size_};
    copy.packet.payload = {begin + payload_at_, size_ - payload_at_};
    if (has_id_) copy.packet.id = id_at(begin + same_);
  }

private:
  bool is_like(const octet* begin) const noexcept { return detail::equal_padded(begin, begin_, same_); }
  static packet_id id_at(const octet* from) noexcept {
    return static_cast<packet_id>(static_cast<unsigned>(from[0]) << 8U | from[1]);
  }
  bool has_good_id(const octet* from) const noexcept {
    return id_at(from) != 0 && (!has_properties_ || from[2] == 0);
  }

  inbound_publish first_{};
  const octet* begin_ = nullptr;
  std::size_t size_ = 0;
  std::size_t same_ = 0; // octets that every packet of the burst begins with
  std::size_t payload_at_ = 0;
  bool has_id_ = false;
  bool has_properties_ = false;
};

} // namespace troupe::protocol
