// framer: a stream of octets cut into whole frames.
//
// Lives here: frame, framer. A frame is one control packet: its first octet and its body.
// Holds:   whatever way a stream is split, the same frames come out. At most one incomplete frame is
//          kept. Type, reserved flags and size limit are judged from the first two to five octets,
//          before a body is buffered.
// Threads: belongs to one connection; dies with it.
// Errors:  errc::malformed_packet (flags, fifth length octet, length not in shortest form in 5.0),
//          errc::packet_too_large; after an error the framer answers the same error for ever.
// Costs:   whole frames inside one input are views; only a frame that crosses inputs is copied, into
//          a buffer of its owner's source. A large one can be read straight to its place: see
//          wanted(). At most two buffers are held, the incomplete frame's and the last one's; none once
//          two inputs came that ended with a frame.
#pragma once

#include "buffer_source.hpp"
#include "errc.hpp"
#include "result.hpp"
#include "slice.hpp"
#include "vocabulary.hpp"

#include <array>

namespace troupe::protocol {

namespace detail {

/// What a first octet says beyond its being right.
enum class opening : octet { refused, accepted, ping, accepted_in_5_0 };

/// What a first octet may be [MQTT-2.1.3-1]: the flags of PUBLISH are free but for QoS 3
/// [MQTT-3.3.1-4] and DUP without QoS [MQTT-3.3.1-2].
inline constexpr auto openings = [] {
  std::array<opening, 256> table{};
  for (unsigned type = 1; type <= 11; ++type) {
    const bool two = type == 6 || type == 8 || type == 10;
    table[(type << 4U) | (two ? 2U : 0U)] = opening::accepted;
  }
  table[12U << 4U] = table[13U << 4U] = opening::ping;
  table[14U << 4U] = opening::accepted;
  table[15U << 4U] = opening::accepted_in_5_0;
  for (unsigned flags = 0; flags < 16; ++flags) {
    const unsigned quality = (flags >> 1U) & 3U;
    const bool lone_dup = (flags & 8U) != 0 && quality == 0;
    table[(3U << 4U) | flags] = quality == 3 || lone_dup ? opening::refused : opening::accepted;
  }
  return table;
}();

} // namespace detail

/// One whole control packet. `body` has read_slack readable octets after its end.
struct frame {
  octet first = 0; // packet type and flags
  octets body{};   // what follows the remaining length
  octets whole{};  // the packet as it came, first octet included: may be forwarded unchanged
  packet_type type() const noexcept { return static_cast<packet_type>(first >> 4U); }
  /// Whether the remaining length came in its shortest form; CONNECT is framed before the version
  /// is known that demands it [MQTT-1.5.5-1].
  bool has_shortest_length() const noexcept;
};

class framer {
public:
  /// Missing parts of at least this many octets are asked for by wanted(): below it one more system
  /// call costs more than the copy.
  static constexpr std::size_t direct_read_from = 65'536;

  /// `limit` is the largest whole packet in octets that is accepted. `memory` outlives the calls of
  /// next(); what was taken from it may outlive it.
  framer(buffer_source& memory, std::uint32_t limit) noexcept : source_{&memory}, limit_{limit} {}
  /// With memory from the heap, whose references must stay on one thread.
  explicit framer(std::uint32_t limit = max_packet_size) noexcept : limit_{limit} {}
  ~framer();
  framer(framer&&) noexcept;
  framer& operator=(framer&&) noexcept;

  /// The shortest-form rule for lengths and the AUTH packet hold in 5.0 only; unknown until CONNECT on
  /// a server.
  void set_version(version v) noexcept { version_ = static_cast<octet>(v); }
  void set_limit(std::uint32_t limit) noexcept { limit_ = limit; }

  /// Gives the framer the next input, with read_slack readable octets behind it. Every earlier input
  /// must have been consumed (next() said so).
  void feed(octets input) noexcept {
    at_ = input.data();
    end_ = input.data() + input.size();
  }
  /// The next whole frame; errc::need_more when the input is used up (what is left over has been
  /// copied: the input may go). A frame that lies in the framer's own buffer is valid until the
  /// second following call of next(), or for as long as retained(frame) is held.
  result<frame> next();
  /// The same without a result: 0 = `into` holds the frame.
  errc next(frame& into) noexcept { return next_at_hand(into) ? errc{} : next_slowly(into); }

  /// What of the input is not consumed, if it begins with a packet; empty within a packet that crosses
  /// inputs, after an error, and where the limit is below four octets.
  octets at_hand() const noexcept {
    if (held_ != 0 || failure_ != errc{} || limit_ < smallest) return {};
    return {at_, static_cast<std::size_t>(end_ - at_)};
  }
  /// Whole packets of at_hand() that somebody else has cut.
  void skip(std::size_t count) noexcept { at_ += count; }

  /// The space into which the next octets may be read directly: the missing part of a large
  /// incomplete frame, or empty. After writing n octets there call filled(n), then next().
  std::span<octet> wanted() noexcept;
  void filled(std::size_t count) noexcept;

  /// A reference to the framer's own buffer when `f` lies in it, else null: the caller's own input
  /// keeps the frame then.
  keeper_ref retained(const frame& f) const noexcept;

private:
  struct header;
  static constexpr std::size_t smallest = 4; // octets of a PUBLISH or an acknowledgement

  bool next_at_hand(frame& into) noexcept;
  errc next_slowly(frame& into) noexcept;
  errc read_header(const octet* from, std::size_t count, header& found) noexcept;
  errc fail(errc why) noexcept;
  errc next_across(frame& into) noexcept;
  errc keep_remainder() noexcept;
  errc complete_header() noexcept;
  errc deliver(frame& into) noexcept;
  bool begin_buffer() noexcept;

  const octet* at_ = nullptr;  // the part of the input
  const octet* end_ = nullptr; // that is not consumed yet
  buffer_source* source_ = nullptr;
  fresh_buffer filling_; // holds the incomplete frame, once its length is known
  fresh_buffer last_;    // holds the frame that was handed out last, if it had crossed inputs
  std::uint32_t limit_;
  std::uint32_t length_ = 0; // of the incomplete frame, header included; 0 = not known
  std::uint32_t held_ = 0;   // octets of it that are here
  errc failure_{};
  std::array<octet, 5> start_{}; // of an incomplete header
  octet version_ = 0;            // 0 = unknown
  octet quiet_ = 0;              // inputs used up since last_ was handed out
};

/// The stream itself: a frame that lies wholly in the input, with one or two length octets in their
/// shortest form. False: nothing happened, and next_slowly() judges.
inline bool framer::next_at_hand(frame& into) noexcept {
  const octet* const from = at_;
  const auto available = static_cast<std::size_t>(end_ - from);
  if (available < smallest || held_ != 0 || failure_ != errc{}) return false;
  if (detail::openings[from[0]] != detail::opening::accepted) return false;
  std::size_t body_at = 2;
  std::size_t remaining = from[1];
  if (remaining >= 0x80U) {
    if (from[2] == 0 || from[2] >= 0x80U) return false;
    remaining = (remaining & 0x7FU) | (std::size_t{from[2]} << 7U);
    body_at = 3;
  }
  const std::size_t length = body_at + remaining;
  if (length > available || length > limit_) return false;
  at_ = from + length;
  into.first = from[0];
  into.whole = {from, length};
  into.body = {from + body_at, remaining};
  return true;
}

} // namespace troupe::protocol
