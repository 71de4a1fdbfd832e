#include "websocket_frames.hpp"

#include "web_error.hpp"

#include <algorithm>
#include <cstring>

namespace troupe::runtime {

using protocol::octet;
using protocol::octets;

namespace {

constexpr octet final_bit = 0x80;
constexpr octet reserved_bits = 0x70;
constexpr octet mask_bit = 0x80;
constexpr octet size_in_two = 126;
constexpr octet size_in_eight = 127;

void write_number(octet* to, std::uint64_t value, unsigned size) noexcept {
  for (unsigned i = 0; i < size; ++i) to[i] = static_cast<octet>(value >> (8 * (size - 1 - i)));
}

std::uint64_t read_number(const octet* from, unsigned size) noexcept {
  std::uint64_t value = 0;
  for (unsigned i = 0; i < size; ++i) value = value << 8U | from[i];
  return value;
}

} // namespace

std::size_t write_websocket_header(octet* to, websocket_opcode what, std::uint64_t size,
                                   const websocket_mask* mask) noexcept {
  const octet masked = mask == nullptr ? 0 : mask_bit;
  std::size_t used = 2;
  to[0] = static_cast<octet>(final_bit | static_cast<octet>(what));
  if (size < size_in_two) {
    to[1] = static_cast<octet>(masked | size);
  } else if (size <= 0xFFFF) {
    to[1] = masked | size_in_two;
    write_number(to + 2, size, 2);
    used = 4;
  } else {
    to[1] = masked | size_in_eight;
    write_number(to + 2, size, 8);
    used = 10;
  }
  if (mask == nullptr) return used;
  std::copy(mask->begin(), mask->end(), to + used);
  return used + mask->size();
}

void mask_octets(octet* to, octets from, const websocket_mask& mask, std::uint64_t at) noexcept {
  octet turned[8];
  for (unsigned i = 0; i < 8; ++i) turned[i] = mask[(at + i) % 4];
  std::uint64_t word = 0;
  std::memcpy(&word, turned, sizeof word);
  std::size_t i = 0;
  for (; i + 8 <= from.size(); i += 8) {
    std::uint64_t piece = 0;
    std::memcpy(&piece, from.data() + i, sizeof piece);
    piece ^= word;
    std::memcpy(to + i, &piece, sizeof piece);
  }
  for (; i < from.size(); ++i) to[i] = from[i] ^ turned[i % 8];
}

websocket_reader::step websocket_reader::take(octets from, std::span<octet> into) noexcept {
  step now;
  now.error = failure_;
  while (!now.error && now.what == event::none) {
    if (!is_in_payload_) {
      if (now.used == from.size()) break;
      header_[header_size_++] = from[now.used++];
      if (header_size_ < header_needed()) continue;
      now.error = failure_ = begin_frame();
      if (now.error) break;
    }
    const std::span<octet> rest =
        is_control() ? std::span<octet>{control_}.subspan(done_) : into.subspan(now.produced);
    const std::size_t count = static_cast<std::size_t>(
        std::min<std::uint64_t>({size_ - done_, from.size() - now.used, rest.size()}));
    mask_octets(rest.data(), from.subspan(now.used, count), mask_, done_);
    done_ += count;
    now.used += count;
    if (!is_control()) now.produced += count;
    if (done_ != size_) break; // one of the two is used up
    now.what = end_frame();
  }
  return now;
}

std::size_t websocket_reader::header_needed() const noexcept {
  if (header_size_ < 2) return 2;
  const octet size = header_[1] & 0x7FU;
  return 2U
         + (size == size_in_two     ? 2U
            : size == size_in_eight ? 8U
                                    : 0U)
         + ((header_[1] & mask_bit) != 0 ? 4U : 0U);
}

std::error_code websocket_reader::begin_frame() noexcept {
  const bool is_masked = (header_[1] & mask_bit) != 0;
  const octet size = header_[1] & 0x7FU;
  std::size_t at = 2;
  size_ = size;
  if (size == size_in_two) {
    size_ = read_number(header_.data() + 2, 2);
    at = 4;
    if (size_ < size_in_two) return web_errc::bad_frame;
  } else if (size == size_in_eight) {
    size_ = read_number(header_.data() + 2, 8);
    at = 10;
    if (size_ <= 0xFFFF || size_ >> 63U != 0) return web_errc::bad_frame;
  }
  if (is_masked != wants_masks_) return web_errc::bad_mask;
  mask_ = {};
  if (is_masked) std::copy_n(header_.data() + at, mask_.size(), mask_.data());
  header_size_ = 0;
  done_ = 0;
  is_in_payload_ = true;
  return check_kind();
}

std::error_code websocket_reader::check_kind() noexcept {
  const bool is_final = (header_[0] & final_bit) != 0;
  if ((header_[0] & reserved_bits) != 0) return web_errc::bad_frame;
  switch (static_cast<websocket_opcode>(header_[0] & 0x0FU)) {
  case websocket_opcode::text: return web_errc::text_frame; // [MQTT-6.0.0-1]
  case websocket_opcode::binary:
    if (is_in_message_) return web_errc::bad_frame;
    is_in_message_ = !is_final;
    return {};
  case websocket_opcode::continuation:
    if (!is_in_message_) return web_errc::bad_frame;
    is_in_message_ = !is_final;
    return {};
  case websocket_opcode::close:
    if (size_ == 1) return web_errc::bad_frame;
    [[fallthrough]];
  case websocket_opcode::ping:
  case websocket_opcode::pong:
    if (!is_final || size_ > largest_control_payload) return web_errc::bad_frame;
    return {};
  }
  return web_errc::bad_frame;
}

websocket_reader::event websocket_reader::end_frame() noexcept {
  is_in_payload_ = false;
  if (!is_control()) return event::none;
  control_size_ = static_cast<std::size_t>(size_);
  switch (static_cast<websocket_opcode>(header_[0] & 0x0FU)) {
  case websocket_opcode::ping: return event::ping;
  case websocket_opcode::close: return event::close;
  default: return event::none; // a pong that answers nothing
  }
}

} // namespace troupe::runtime
