// What a user may say of sockets, seen at the sockets themselves; and what no program of ours leaves to others.
#include "support/ends.hpp"
#include "support/scratch_folder.hpp"

#include <troupe/runtime/acceptor.hpp>
#include <troupe/runtime/dialer.hpp>

#include <gtest/gtest.h>

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <filesystem>
#include <set>

namespace {

using namespace troupe;
using namespace troupe::runtime;
using namespace troupe::test;
using protocol::result;

std::set<int> open_descriptors() {
  std::set<int> all;
  for (const auto& each : std::filesystem::directory_iterator{"/proc/self/fd"})
    all.insert(std::stoi(each.path().filename().string()));
  std::erase_if(all, [](int each) { return ::fcntl(each, F_GETFD) < 0; }); // that of the listing itself
  return all;
}

/// The descriptor of ours that is connected to this port; -1: none.
int dialled_to(std::uint16_t port) {
  for (const int each : open_descriptors()) {
    sockaddr_in peer{};
    socklen_t size = sizeof peer;
    if (::getpeername(each, reinterpret_cast<sockaddr*>(&peer), &size) == 0 && peer.sin_family == AF_INET
        && ntohs(peer.sin_port) == port)
      return each;
  }
  return -1;
}

int option_of(int descriptor, int level, int which) {
  int value = -1;
  socklen_t size = sizeof value;
  EXPECT_EQ(::getsockopt(descriptor, level, which, &value, &size), 0);
  return value;
}

class fixed_names final : public resolver {
public:
  explicit fixed_names(std::vector<address> all) : all_{std::move(all)} {}
  std::shared_ptr<void> resolve(home& where, const std::string&, std::uint16_t, answer done) override {
    where.post([all = all_, done = std::move(done)] { done(all); });
    return std::make_shared<int>();
  }

private:
  std::vector<address> all_;
};

class socket_options_test : public testing::Test {
protected:
  void TearDown() override {
    at(where(), [&] {
      dialer_.reset();
      near_.reset();
      far_.reset();
    });
    std::promise<void> closed;
    listener_.close([&] { closed.set_value(); });
    closed.get_future().get();
  }
  home& where() { return stage_.inside()[0]; }
  endpoint listen(const std::string& to) {
    auto bound = listener_.listen(*parse_endpoint(to), [&](home&, transport_ptr came) {
      far_ = std::move(came);
      arrived_.set_value();
    });
    EXPECT_TRUE(bound) << bound.error().message();
    return bound ? *bound : endpoint{};
  }
  std::error_code dial(const endpoint& to, dial_options options = {}) {
    std::promise<std::error_code> answered;
    at(where(), [&] {
      dialer_ = std::make_unique<dialer>(where(), std::move(options));
      dialer_->dial(to, [&](result<transport_ptr> got) {
        const auto error = got.error();
        if (got) near_ = std::move(*got);
        answered.set_value(error);
      });
    });
    return answered.get_future().get();
  }
  std::string far_name() {
    arrived_.get_future().get();
    return at(where(), [&] { return far_->peer_name(); });
  }

  stage stage_;
  acceptor listener_{where()};
  std::unique_ptr<dialer> dialer_;
  transport_ptr near_;
  transport_ptr far_;
  std::promise<void> arrived_;
};

TEST_F(socket_options_test, reach_the_socket) {
  const endpoint bound = listen("mqtt://127.0.0.1:0");
  dial_options tuned;
  tuned.pipe.no_delay = false;
  tuned.pipe.send_buffer = 20'000;
  tuned.pipe.receive_buffer = 30'000;
  tuned.socket.keep_alive = true;
  ASSERT_FALSE(dial(bound, tuned));
  const int mine = dialled_to(bound.port);
  ASSERT_GE(mine, 0);
  // The system takes twice of what is asked for, for its own account.
  EXPECT_EQ(option_of(mine, SOL_SOCKET, SO_SNDBUF), 40'000);
  EXPECT_EQ(option_of(mine, SOL_SOCKET, SO_RCVBUF), 60'000);
  EXPECT_EQ(option_of(mine, SOL_SOCKET, SO_KEEPALIVE), 1);
  EXPECT_EQ(option_of(mine, IPPROTO_TCP, TCP_NODELAY), 0);
}

TEST_F(socket_options_test, without_a_word_send_at_once_and_leave_the_rest_to_the_system) {
  const endpoint bound = listen("mqtt://127.0.0.1:0");
  ASSERT_FALSE(dial(bound));
  const int mine = dialled_to(bound.port);
  ASSERT_GE(mine, 0);
  EXPECT_EQ(option_of(mine, IPPROTO_TCP, TCP_NODELAY), 1);
  EXPECT_EQ(option_of(mine, SOL_SOCKET, SO_KEEPALIVE), 0);
}

TEST_F(socket_options_test, name_the_address_to_dial_from) {
  const endpoint bound = listen("mqtt://127.0.0.1:0");
  dial_options from;
  from.socket.local_address = "127.0.0.2";
  ASSERT_FALSE(dial(bound, from));
  EXPECT_TRUE(far_name().starts_with("127.0.0.2:"));
}

TEST_F(socket_options_test, with_an_address_that_is_not_ours_tell_so) {
  const endpoint bound = listen("mqtt://127.0.0.1:0");
  dial_options from;
  from.socket.local_address = "192.0.2.1";
  EXPECT_EQ(dial(bound, from), std::errc::address_not_available);
  from.socket.local_address = "no address";
  EXPECT_EQ(dial(bound, from), std::errc::invalid_argument);
}

TEST_F(socket_options_test, choose_a_family_among_the_addresses_of_a_host) {
  endpoint bound = listen("mqtt://127.0.0.1:0");
  const address v4{boost::asio::ip::make_address("127.0.0.1"), bound.port};
  const address v6{boost::asio::ip::make_address("::1"), bound.port};
  bound.host = "both";
  dial_options some;
  some.names = std::make_shared<fixed_names>(std::vector<address>{v6, v4});
  some.socket.family = address_family::v6;
  EXPECT_EQ(dial(bound, some), std::errc::connection_refused) << "only the one nobody listens at is tried";
  some.socket.family = address_family::v4;
  EXPECT_FALSE(dial(bound, some));
  some.names = std::make_shared<fixed_names>(std::vector<address>{v6});
  EXPECT_EQ(dial(bound, some), std::errc::address_family_not_supported);
}

// -- descriptors and other programs ------------------------------------------------------------------

class descriptors : public socket_options_test, public testing::WithParamInterface<const char*> {};

TEST_P(descriptors, of_sockets_are_closed_when_another_program_starts) {
  const scratch_file own{"socket"}; // its path makes a name of a socket nobody else's
  const bool is_unix = std::string_view{GetParam()}.starts_with("unix");
  const std::set<int> before = open_descriptors();
  const endpoint bound = listen(GetParam() + (is_unix ? own.path() : std::string{}));
  ASSERT_FALSE(dial(bound));
  arrived_.get_future().get();
  int sockets = 0;
  for (const int each : open_descriptors()) {
    if (before.contains(each)) continue;
    ++sockets;
    EXPECT_NE(::fcntl(each, F_GETFD) & FD_CLOEXEC, 0) << "descriptor " << each;
  }
  EXPECT_GE(sockets, 3) << "listening, accepted, dialled";
}

INSTANTIATE_TEST_SUITE_P(over, descriptors, testing::Values("mqtt://127.0.0.1:0", "unix://@troupe-cloexec"),
                         [](const auto& which) { return which.index == 0 ? "tcp" : "unix"; });

} // namespace
