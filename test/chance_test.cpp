// Where chance comes from, and what WebSockets do when there is none.
#include <troupe/runtime/chance.hpp>
#include <troupe/runtime/octet_stream.hpp>
#include <troupe/runtime/slab_pool.hpp>
#include <troupe/runtime/web_error.hpp>
#include <troupe/runtime/websocket_dialogue.hpp>
#include <troupe/runtime/websocket_stream.hpp>

#include <gtest/gtest.h>

#include <array>
#include <string>

namespace {

using namespace troupe::runtime;
using troupe::protocol::octet;

bool no_chance(std::span<octet>) noexcept { return false; }

/// Takes everything, has nothing to read.
class well final : public octet_stream {
public:
  explicit well(std::string& into) noexcept : into_{into} {}
  step read(std::span<iovec>) noexcept override {
    return {0, std::make_error_code(std::errc::operation_would_block)};
  }
  step write(std::span<iovec> from) noexcept override {
    std::size_t count = 0;
    for (const iovec& each : from) {
      into_.append(static_cast<const char*>(each.iov_base), each.iov_len);
      count += each.iov_len;
    }
    return {count, {}};
  }
  void wait(readiness_handler, readiness) override {}
  void end_writing() noexcept override {}
  void close() noexcept override {}
  std::string peer_name() const override { return "well"; }

private:
  std::string& into_;
};

std::error_code write(octet_stream& to, std::string text) {
  std::array<iovec, 1> parts{{{text.data(), text.size()}}};
  return to.write(parts).error;
}

TEST(chance, comes_from_the_system) {
  std::array<octet, 32> first{};
  std::array<octet, 32> second{};
  ASSERT_TRUE(system_chance(first));
  ASSERT_TRUE(system_chance(second));
  EXPECT_NE(first, second);
}

TEST(chance, that_fails_ends_a_websocket_before_a_frame_leaves_unmasked) {
  slab_pool pool;
  std::string sent;
  const auto client =
      make_websocket_stream(pool, std::make_unique<well>(sent), websocket_role::client, no_chance);
  EXPECT_EQ(write(*client, "hello"), web_errc::no_chance);
  EXPECT_EQ(write(*client, "again"), web_errc::no_chance);
  std::array<octet, 8> room{};
  std::array<iovec, 1> parts{{{room.data(), room.size()}}};
  EXPECT_EQ(client->read(parts).error, web_errc::no_chance) << "the reader learns of it, too";
  client->end_writing();
  EXPECT_EQ(sent, "");
}

TEST(chance, is_not_needed_by_a_server) {
  slab_pool pool;
  std::string sent;
  const auto server =
      make_websocket_stream(pool, std::make_unique<well>(sent), websocket_role::server, no_chance);
  EXPECT_FALSE(write(*server, "hello"));
  EXPECT_EQ(sent, "\x82\x05hello");
}

TEST(chance, that_fails_sends_no_request_with_a_known_key) {
  const auto asks = websocket_request("h", "/mqtt", {}, no_chance);
  std::string say;
  EXPECT_EQ(asks->go_on({}, say).error, web_errc::no_chance);
  EXPECT_EQ(say, "");
}

} // namespace
