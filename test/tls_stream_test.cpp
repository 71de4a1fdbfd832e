// The layer of TLS alone, over streams in memory whose room and cuts are the test's.
#include "support/ends.hpp"
#include "support/tls/certificates.hpp"

#include <troupe/runtime/slab_pool.hpp>
#include <troupe/runtime/tls_context.hpp>
#include <troupe/runtime/tls_error.hpp>
#include <troupe/runtime/tls_stream.hpp>

#include <gtest/gtest.h>

namespace {

using namespace troupe;
using namespace troupe::runtime;
using namespace troupe::test;

/// Counts the writes that reach what lies below.
class counting_stream final : public octet_stream {
public:
  counting_stream(std::unique_ptr<octet_stream> below, int& writes)
      : below_{std::move(below)}, writes_{writes} {}
  step read(std::span<iovec> into) noexcept override { return below_->read(into); }
  step write(std::span<iovec> from) noexcept override {
    ++writes_;
    return below_->write(from);
  }
  void wait(readiness_handler handler, readiness which) override { below_->wait(std::move(handler), which); }
  void end_writing() noexcept override { below_->end_writing(); }
  void close() noexcept override { below_->close(); }
  std::string peer_name() const override { return below_->peer_name(); }

private:
  std::unique_ptr<octet_stream> below_;
  int& writes_;
};

/// Two ends in memory with room for `room` octets each way.
struct memory_pipe {
  std::string octets;
  std::size_t room = 1U << 20U;
  bool is_over = false;
};

class memory_stream final : public octet_stream {
public:
  memory_stream(memory_pipe& in, memory_pipe& out) : in_{in}, out_{out} {}
  step read(std::span<iovec> into) noexcept override {
    std::size_t count = 0;
    for (const iovec& each : into) {
      const std::size_t part = std::min(each.iov_len, in_.octets.size());
      std::memcpy(each.iov_base, in_.octets.data(), part);
      in_.octets.erase(0, part);
      count += part;
    }
    if (count != 0 || in_.is_over) return {count, {}};
    return {0, std::make_error_code(std::errc::operation_would_block)};
  }
  step write(std::span<iovec> from) noexcept override {
    std::size_t count = 0;
    for (const iovec& each : from) {
      const std::size_t part = std::min(each.iov_len, out_.room - out_.octets.size());
      out_.octets.append(static_cast<const char*>(each.iov_base), part);
      count += part;
    }
    if (count != 0) return {count, {}};
    return {0, std::make_error_code(std::errc::operation_would_block)};
  }
  void wait(readiness_handler, readiness) override {}
  void end_writing() noexcept override { out_.is_over = true; }
  void close() noexcept override { out_.is_over = true; }
  std::string peer_name() const override { return "memory"; }

private:
  memory_pipe& in_;
  memory_pipe& out_;
};

struct tls_in_memory : testing::Test {
  slab_pool pool;
  certifier trusted;
  credentials server = trusted.issue();
  memory_pipe up;
  memory_pipe down;
  int writes = 0;
  std::unique_ptr<octet_stream> near;
  std::unique_ptr<octet_stream> far;

  void SetUp() override {
    auto ours = std::make_unique<counting_stream>(std::make_unique<memory_stream>(down, up), writes);
    near = make_tls_stream(pool, std::move(ours),
                           *tls_context::make(tls_role::client, {.ca_file = trusted.certificate()}),
                           {.host = "localhost"});
    far = make_tls_stream(
        pool, std::make_unique<memory_stream>(up, down),
        *tls_context::make(tls_role::server,
                           {.cert_file = server.certificate, .key_file = server.key, .verify_peer = false}),
        {});
    for (int i = 0; i < 10'000; ++i) {
      const auto one = near->greet();
      const auto other = far->greet();
      ASSERT_FALSE(one.error) << one.error.message();
      ASSERT_FALSE(other.error) << other.error.message();
      if (one.is_done && other.is_done) return;
    }
    FAIL() << "the two never get to know each other";
  }
  octet_stream::step write(const std::vector<std::string>& pieces) {
    std::vector<iovec> from;
    for (const std::string& each : pieces) from.push_back({const_cast<char*>(each.data()), each.size()});
    return near->write(from);
  }
  std::string read(std::size_t room) {
    std::string text(room, '\0');
    iovec into{text.data(), room};
    text.resize(far->read({&into, 1}).count);
    return text;
  }
};

TEST_F(tls_in_memory, pieces_of_a_write_share_records_and_one_call_below) {
  writes = 0;
  std::vector<std::string> pieces(50, std::string(100, 'x'));
  EXPECT_EQ(write(pieces).count, 5'000U);
  EXPECT_EQ(writes, 1);
  EXPECT_LT(up.octets.size(), 5'050U) << "one record";
  EXPECT_EQ(read(10'000), std::string(5'000, 'x'));
  writes = 0;
  EXPECT_EQ(write({pattern(100'000)}).count, 100'000U);
  EXPECT_EQ(writes, 1) << "seven records leave together";
  EXPECT_EQ(read(200'000), pattern(100'000));
}

TEST_F(tls_in_memory, any_room_and_any_cut_give_the_same_octets) {
  const std::string sent = pattern(300'000);
  std::string got;
  std::size_t put = 0;
  std::size_t turn = 0;
  up.room = 1;
  while (got.size() < sent.size()) {
    ++turn;
    up.room = 1 + turn * 7919 % 20'000;
    up.room += up.octets.size();
    iovec from{const_cast<char*>(sent.data()) + put, std::min(sent.size() - put, turn * 104'729 % 50'000)};
    const auto step = near->write({&from, 1});
    ASSERT_TRUE(!step.error || step.would_block()) << step.error.message();
    put += step.count;
    got += read(1 + turn * 31 % 9'000);
    while (far->has_unread()) got += read(1 + turn * 17 % 3'000);
    ASSERT_LT(turn, 1'000'000U);
  }
  EXPECT_EQ(got, sent);
  EXPECT_FALSE(near->has_unsent());
}

TEST_F(tls_in_memory, what_finds_no_room_is_sent_by_the_next_write) {
  up.room = 10;
  EXPECT_EQ(write({"hello"}).count, 5U);
  EXPECT_TRUE(near->has_unsent());
  EXPECT_EQ(read(10), "");
  EXPECT_TRUE(near->write({}).would_block());
  up.room = 1000;
  EXPECT_FALSE(near->write({}).error);
  EXPECT_FALSE(near->has_unsent());
  EXPECT_EQ(read(10), "hello");
}

TEST_F(tls_in_memory, the_end_comes_behind_the_last_octet_and_needs_no_room_at_once) {
  ASSERT_EQ(write({"bye"}).count, 3U);
  up.room = up.octets.size() + 5;
  near->end_writing();
  EXPECT_TRUE(near->has_unsent());
  EXPECT_FALSE(up.is_over);
  EXPECT_EQ(read(10), "bye");
  up.room = 1000;
  EXPECT_FALSE(near->write({}).error);
  EXPECT_TRUE(up.is_over);
  EXPECT_FALSE(near->has_unsent());
  iovec into{};
  char room[10];
  into = {room, sizeof room};
  const auto end = far->read({&into, 1});
  EXPECT_EQ(end.count, 0U);
  EXPECT_FALSE(end.error) << "an orderly end";
}

TEST_F(tls_in_memory, a_stream_that_was_tampered_with_is_told_apart) {
  ASSERT_EQ(write({"hello"}).count, 5U);
  up.octets.back() = static_cast<char>(up.octets.back() ^ 1);
  char room[10];
  iovec into{room, sizeof room};
  EXPECT_EQ(far->read({&into, 1}).error, tls_errc::broken_protocol);
  EXPECT_TRUE(far->has_unread()) << "it will say so again";
}

TEST_F(tls_in_memory, a_cut_is_told_behind_what_came_before) {
  ASSERT_EQ(write({"last words"}).count, 10U);
  up.is_over = true;
  EXPECT_EQ(read(100), "last words");
  char room[10];
  iovec into{room, sizeof room};
  EXPECT_EQ(far->read({&into, 1}).error, tls_errc::truncated);
}

/// Whether `text` begins with the client's greeting and holds `what` in clear, as SNI and ALPN are.
bool says(const std::string& greeting, std::string_view what) {
  return greeting.starts_with("\x16\x03") && greeting.find(what) != std::string::npos;
}

TEST(tls_greeting, asks_for_names_and_never_for_addresses) {
  slab_pool pool;
  const auto greeting_to = [&pool](const std::string& host, tls_options options = {}, bool is_web = false) {
    memory_pipe up;
    memory_pipe down;
    const auto context = tls_context::make(tls_role::client, std::move(options));
    const auto near = make_tls_stream(pool, std::make_unique<memory_stream>(down, up), *context,
                                      {.host = host, .is_web = is_web});
    EXPECT_EQ(near->greet().needs, readiness::to_read);
    return up.octets;
  };
  using namespace std::string_literals;
  EXPECT_TRUE(says(greeting_to("broker.example"), "\x00\x0e"
                                                  "broker.example"s));
  EXPECT_TRUE(says(greeting_to("broker.example."), "\x00\x0e"
                                                   "broker.example"s))
      << "without the last dot";
  EXPECT_FALSE(says(greeting_to("broker.example."), "broker.example."));
  EXPECT_TRUE(says(greeting_to("127.0.0.1", {.server_name = "a.example"}), "\x00\x09"
                                                                           "a.example"s));
  EXPECT_FALSE(says(greeting_to("127.0.0.1"), "127.0.0.1"));
  EXPECT_FALSE(says(greeting_to("::1"), "::1"));
  EXPECT_FALSE(says(greeting_to("fe80::1%eth0"), "fe80"));
  EXPECT_TRUE(says(greeting_to("h"), "\x00\x05\x04mqtt"s)) << "ALPN";
  EXPECT_TRUE(says(greeting_to("h", {}, true), "\x00\x09\x08http/1.1"s)) << "ALPN of a WebSocket";
  EXPECT_FALSE(says(greeting_to("h", {.alpn = {}}), "mqtt"));
}

} // namespace
