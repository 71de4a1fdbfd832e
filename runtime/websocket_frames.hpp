// websocket_frames: the frames of RFC 6455, without input or output.
//
// Lives here: websocket_opcode, write_websocket_header(), mask_octets(), websocket_reader.
// Holds:   the reader takes a stream in any pieces. Payloads of binary messages, whole or fragmented, come
//          out as one stream; what control frames say is kept until asked for.
// Threads: belongs to one connection.
// Units:   octets.
// Errors:  web_errc; after one the reader takes nothing more.
// Costs:   one copy of the payload, with the mask taken off meanwhile.
#pragma once

#include "../protocol/slice.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <system_error>

namespace troupe::runtime {

enum class websocket_opcode : std::uint8_t {
  continuation = 0,
  text = 1,
  binary = 2,
  close = 8,
  ping = 9,
  pong = 10,
};

using websocket_mask = std::array<protocol::octet, 4>;

inline constexpr std::size_t largest_websocket_header = 14;
inline constexpr std::size_t largest_control_payload = 125;

/// A final frame. `mask` null: not masked. Answers the size of the header.
std::size_t write_websocket_header(protocol::octet* to, websocket_opcode what, std::uint64_t size,
                                   const websocket_mask* mask) noexcept;

/// Copies, putting the mask on or off; `at` is the place in the payload where this piece begins.
void mask_octets(protocol::octet* to, protocol::octets from, const websocket_mask& mask,
                 std::uint64_t at) noexcept;

class websocket_reader {
public:
  enum class event : std::uint8_t { none, ping, close };
  struct step {
    std::size_t used = 0;     // of `from`
    std::size_t produced = 0; // octets of payload in `into`
    event what = event::none; // its payload is control()
    std::error_code error{};
  };

  /// A server demands masks, a client takes none.
  explicit websocket_reader(bool wants_masks) noexcept : wants_masks_{wants_masks} {}

  /// Goes on until `from` is used up, `into` is full, a control frame has come or something is wrong.
  step take(protocol::octets from, std::span<protocol::octet> into) noexcept;
  /// Of the last ping or close.
  protocol::octets control() const noexcept { return {control_.data(), control_size_}; }

private:
  bool is_control() const noexcept { return (header_[0] & 0x08U) != 0; }
  std::size_t header_needed() const noexcept;
  std::error_code begin_frame() noexcept;
  std::error_code check_kind() noexcept;
  event end_frame() noexcept;

  bool wants_masks_;
  bool is_in_payload_ = false;
  bool is_in_message_ = false; // the last data frame was not the final one
  std::array<protocol::octet, largest_websocket_header> header_{};
  std::size_t header_size_ = 0;
  std::uint64_t size_ = 0; // of the payload
  std::uint64_t done_ = 0;
  websocket_mask mask_{};
  std::array<protocol::octet, largest_control_payload> control_{};
  std::size_t control_size_ = 0;
  std::error_code failure_{};
};

} // namespace troupe::runtime
