#include "support/hex.hpp"

#include <troupe/runtime/web_error.hpp>
#include <troupe/runtime/websocket_frames.hpp>

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

namespace {

using namespace troupe;
using namespace troupe::runtime;
using protocol::octet;
using protocol::octets;

std::string frame(websocket_opcode what, std::string_view payload, bool is_masked, bool is_final = true) {
  const websocket_mask mask{0x37, 0xfa, 0x21, 0x3d};
  std::vector<octet> made(largest_websocket_header + payload.size());
  const auto header = write_websocket_header(made.data(), what, payload.size(), is_masked ? &mask : nullptr);
  mask_octets(made.data() + header, {reinterpret_cast<const octet*>(payload.data()), payload.size()},
              is_masked ? mask : websocket_mask{}, 0);
  if (!is_final) made[0] &= 0x7F;
  return {made.begin(), made.begin() + static_cast<std::ptrdiff_t>(header + payload.size())};
}

struct heard {
  std::string payload{};
  std::vector<std::string> pings{};
  std::string close{};
  bool is_closed = false;
  std::error_code error{};
};

/// Feeds `text` in pieces of at most `piece` octets, with room for `room` octets at a time.
heard read(std::string_view text, bool wants_masks, std::size_t piece = 1'000'000, std::size_t room = 1000) {
  websocket_reader reader{wants_masks};
  heard all;
  std::vector<octet> into(room);
  while (!text.empty() && !all.error && !all.is_closed) {
    octets from{reinterpret_cast<const octet*>(text.data()), std::min(piece, text.size())};
    const auto now = reader.take(from, into);
    all.payload.append(reinterpret_cast<const char*>(into.data()), now.produced);
    all.error = now.error;
    const std::string said{reader.control().begin(), reader.control().end()};
    if (now.what == websocket_reader::event::ping) all.pings.push_back(said);
    if (now.what == websocket_reader::event::close) {
      all.close = said;
      all.is_closed = true;
    }
    text.remove_prefix(now.used);
    EXPECT_TRUE(now.used != 0 || now.error);
    if (now.used == 0) break;
  }
  return all;
}

TEST(websocket_frames, are_written_as_the_standard_shows_them) {
  // RFC 6455, 5.7, with the binary opcode.
  EXPECT_EQ(frame(websocket_opcode::binary, "Hello", false), "\x82\x05Hello");
  EXPECT_EQ(frame(websocket_opcode::binary, "Hello", true), "\x82\x85\x37\xfa\x21\x3d\x7f\x9f\x4d\x51\x58");
  EXPECT_EQ(frame(websocket_opcode::binary, std::string(256, 'x'), false).substr(0, 4),
            std::string("\x82\x7e\x01\x00", 4));
  EXPECT_EQ(frame(websocket_opcode::binary, std::string(65'536, 'x'), false).substr(0, 10),
            std::string("\x82\x7f\0\0\0\0\0\x01\0\0", 10));
}

TEST(websocket_frames, are_read_in_any_pieces_into_any_room) {
  std::string text;
  std::string expected;
  std::mt19937 chance{7};
  for (const std::size_t size : {0U, 1U, 125U, 126U, 127U, 65'535U, 65'536U, 3U}) {
    std::string payload(size, '\0');
    for (char& each : payload) each = static_cast<char>(chance());
    text += frame(websocket_opcode::binary, payload, true);
    expected += payload;
  }
  for (const std::size_t piece : {1U, 2U, 3U, 7U, 1000U, 1'000'000U})
    for (const std::size_t room : {1U, 5U, 4096U}) {
      const heard got = read(text, true, piece, room);
      EXPECT_FALSE(got.error) << got.error.message();
      EXPECT_TRUE(got.payload == expected) << piece << ' ' << room;
    }
}

TEST(websocket_frames, join_fragments_with_control_frames_between_them) {
  const std::string text =
      frame(websocket_opcode::binary, "one ", true, false) + frame(websocket_opcode::ping, "there?", true)
      + frame(websocket_opcode::continuation, "two ", true, false) + frame(websocket_opcode::pong, "", true)
      + frame(websocket_opcode::continuation, "three", true) + frame(websocket_opcode::binary, "!", true)
      + frame(websocket_opcode::close, "\x03\xe8 bye", true);
  for (const std::size_t piece : {1U, 4U, 1000U}) {
    const heard got = read(text, true, piece, 3);
    EXPECT_FALSE(got.error) << got.error.message();
    EXPECT_EQ(got.payload, "one two three!");
    EXPECT_EQ(got.pings, std::vector<std::string>{"there?"});
    EXPECT_EQ(got.close, "\x03\xe8 bye");
  }
}

TEST(websocket_frames, that_are_forbidden_are_refused) {
  const auto wrong = [](std::string_view text) { return read(text, false).error; };
  EXPECT_EQ(wrong(frame(websocket_opcode::text, "hello", false)), web_errc::text_frame);
  EXPECT_EQ(wrong(frame(websocket_opcode::binary, "x", true)), web_errc::bad_mask);
  EXPECT_EQ(read(frame(websocket_opcode::binary, "x", false), true).error, web_errc::bad_mask);
  EXPECT_EQ(wrong("\xc2\x01x"), web_errc::bad_frame) << "a reserved bit";
  EXPECT_EQ(wrong(std::string_view("\x83\x00", 2)), web_errc::bad_frame) << "a reserved opcode";
  EXPECT_EQ(wrong(std::string_view("\x8b\x00", 2)), web_errc::bad_frame) << "a reserved control opcode";
  EXPECT_EQ(wrong(std::string_view("\x09\x00", 2)), web_errc::bad_frame) << "a control frame in fragments";
  EXPECT_EQ(wrong(std::string_view("\x89\x7e\x00\x80", 4)), web_errc::bad_frame) << "a large control frame";
  EXPECT_EQ(wrong("\x88\x01x"), web_errc::bad_frame) << "half a code";
  EXPECT_EQ(wrong(std::string_view("\x80\x00", 2)), web_errc::bad_frame) << "goes on with nothing";
  EXPECT_EQ(
      wrong(frame(websocket_opcode::binary, "a", false, false) + frame(websocket_opcode::binary, "b", false)),
      web_errc::bad_frame)
      << "begins anew within a message";
  EXPECT_EQ(wrong(std::string_view("\x82\x7e\x00\x7d", 4)), web_errc::bad_frame)
      << "a size in too many octets";
  EXPECT_EQ(wrong(std::string_view("\x82\x7f\0\0\0\0\0\0\xff\xff", 10)), web_errc::bad_frame);
  EXPECT_EQ(wrong(std::string_view("\x82\x7f\x80\0\0\0\0\x01\0\0", 10)), web_errc::bad_frame);
}

TEST(websocket_frames, random_octets_never_get_the_reader_into_trouble) {
  std::mt19937 chance{11};
  for (int round = 0; round < 2'000; ++round) {
    std::string text(chance() % 200, '\0');
    for (char& each : text) each = static_cast<char>(chance());
    const heard got = read(text, round % 2 == 0, 1 + chance() % 20, 1 + chance() % 50);
    EXPECT_LE(got.payload.size(), text.size());
  }
}

} // namespace
