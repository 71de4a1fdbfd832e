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
//          a buffer the framer owns. A large one can be read straight to its place: see wanted().
#pragma once

#include "errc.hpp"
#include "result.hpp"
#include "slice.hpp"
#include "vocabulary.hpp"

#include <memory>

namespace troupe::protocol {

/// One whole control packet. `body` has read_slack readable octets after its end.
struct frame {
  octet first = 0;   // packet type and flags
  octets body{};     // what follows the remaining length
  octets whole{};    // the packet as it came, first octet included: may be forwarded unchanged
  packet_type type() const noexcept { return static_cast<packet_type>(first >> 4U); }
};

class framer {
public:
  /// `limit` is the largest whole packet in octets that is accepted.
  explicit framer(std::uint32_t limit = max_packet_size) noexcept;
  ~framer();
  framer(framer&&) noexcept;
  framer& operator=(framer&&) noexcept;

  /// The shortest-form rule for lengths holds in 5.0 only; unknown until CONNECT on a server.
  void set_version(version v) noexcept;
  void set_limit(std::uint32_t limit) noexcept;

  /// Gives the framer the next input. Every earlier input must have been consumed (next() said so).
  void feed(octets input) noexcept;
  /// The next whole frame; errc::need_more when the input is used up (what is left over has been
  /// copied: the input may go). A frame that lies in the framer's own buffer is valid until the
  /// second following call of next(), or for as long as retained(frame) is held.
  result<frame> next();

  /// The space into which the next octets may be read directly: the missing part of a large
  /// incomplete frame, or empty. After writing n octets there call filled(n), then next().
  std::span<octet> wanted() noexcept;
  void filled(std::size_t count) noexcept;

  /// A reference to the framer's own buffer when `f` lies in it, else null: the caller's own input
  /// keeps the frame then.
  keeper_ref retained(const frame& f) const noexcept;

private:
  struct state;
  std::unique_ptr<state> state_;
};

} // namespace troupe::protocol
