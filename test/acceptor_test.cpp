#include "support/ends.hpp"
#include "support/scratch_folder.hpp"

#include <troupe/runtime/acceptor.hpp>
#include <troupe/runtime/dialer.hpp>
#include <troupe/runtime/tls_error.hpp>

#include <boost/asio/local/stream_protocol.hpp>

#include <gtest/gtest.h>

#include <sys/resource.h>
#include <unistd.h>

#include <filesystem>
#include <set>

namespace {

using namespace troupe;
using namespace troupe::runtime;
using namespace troupe::test;
using protocol::result;

class acceptor_test : public testing::Test {
protected:
  home& where(std::size_t index = 0) { return stage_.inside()[index]; }

  static void close(acceptor& listener) {
    std::promise<void> closed;
    listener.close([&] { closed.set_value(); });
    closed.get_future().get();
  }
  std::error_code dial_and_hang_up(const endpoint& to) {
    std::promise<std::error_code> answered;
    auto caller = at(where(), [&] { return std::make_unique<dialer>(where()); });
    at(where(),
       [&] { caller->dial(to, [&](result<transport_ptr> got) { answered.set_value(got.error()); }); });
    const auto error = answered.get_future().get();
    at(where(), [&] { caller.reset(); });
    return error;
  }

  stage stage_{{.workers = 3}};
};

TEST_F(acceptor_test, hands_arrivals_to_the_homes_in_turn_each_on_its_own_thread) {
  const scratch_file own{"turns"}; // its path is a name in no folder, and nobody else's
  for (const std::string& at_text :
       {std::string{"mqtt://127.0.0.1:0"}, "unix://@" + own.path(), std::string{"loopback://turns"}}) {
    std::size_t turn = 0;
    std::mutex mutex;
    std::condition_variable changed;
    std::multiset<std::size_t> seen;
    acceptor listener{where(), {}, [&]() -> home& { return where(turn++ % 3); }};
    auto bound = listener.listen(*parse_endpoint(at_text), [&](home& to, transport_ptr) {
      EXPECT_TRUE(to.is_here());
      const std::lock_guard lock{mutex};
      seen.insert(to.index());
      changed.notify_all();
    });
    ASSERT_TRUE(bound) << bound.error().message();
    for (int i = 0; i < 9; ++i) EXPECT_FALSE(dial_and_hang_up(*bound)) << at_text;
    std::unique_lock lock{mutex};
    ASSERT_TRUE(changed.wait_for(lock, patience, [&] { return seen.size() == 9; })) << at_text;
    for (std::size_t index = 0; index < 3; ++index) EXPECT_EQ(seen.count(index), 3U) << at_text;
    lock.unlock();
    close(listener);
  }
}

TEST_F(acceptor_test, says_which_port_it_got_and_frees_it) {
  std::string at_text = "mqtt://127.0.0.1:0";
  for (int i = 0; i < 20; ++i) {
    acceptor listener{where()};
    auto bound = listener.listen(*parse_endpoint(at_text), [](home&, transport_ptr) {});
    ASSERT_TRUE(bound) << bound.error().message();
    EXPECT_NE(bound->port, 0);
    EXPECT_FALSE(dial_and_hang_up(*bound));
    at_text = to_string(*bound); // the same port again, at once
    close(listener);
    EXPECT_EQ(dial_and_hang_up(*bound), std::errc::connection_refused);
  }
}

TEST_F(acceptor_test, refuses_an_address_that_is_taken) {
  const scratch_file path{"taken.sock"};
  for (const std::string& at_text :
       {std::string{"mqtt://127.0.0.1:0"}, "unix://" + path.path(), std::string{"loopback://taken"}}) {
    acceptor first{where()};
    auto bound = first.listen(*parse_endpoint(at_text), [](home&, transport_ptr) {});
    ASSERT_TRUE(bound) << bound.error().message();
    acceptor second{where()};
    EXPECT_EQ(second.listen(*bound, [](home&, transport_ptr) {}).error(), std::errc::address_in_use)
        << at_text;
    close(second);
    EXPECT_FALSE(dial_and_hang_up(*bound)) << "the first still listens";
    close(first);
    acceptor third{where()};
    EXPECT_TRUE(third.listen(*bound, [](home&, transport_ptr) {})) << at_text;
    close(third);
  }
}

TEST_F(acceptor_test, replaces_a_deserted_socket_file_and_removes_its_own) {
  const scratch_file file{"deserted.sock"};
  const std::string& path = file;
  {
    boost::asio::io_context io;
    boost::asio::local::stream_protocol::acceptor dead{io,
                                                       boost::asio::local::stream_protocol::endpoint{path}};
  }
  ASSERT_TRUE(std::filesystem::exists(path));
  acceptor listener{where()};
  auto bound = listener.listen(*parse_endpoint("unix://" + path), [](home&, transport_ptr) {});
  ASSERT_TRUE(bound) << bound.error().message();
  EXPECT_FALSE(dial_and_hang_up(*bound));
  close(listener);
  EXPECT_FALSE(std::filesystem::exists(path));
}

TEST_F(acceptor_test, says_what_is_wrong) {
  acceptor listener{where()};
  EXPECT_EQ(listener.listen(*parse_endpoint("wss://127.0.0.1:0"), [](home&, transport_ptr) {}).error(),
            tls_errc::missing_certificate_file);
  EXPECT_TRUE(listener.listen(*parse_endpoint("mqtt://203.0.113.1:0"), [](home&, transport_ptr) {}).error());
  EXPECT_TRUE(
      listener.listen(*parse_endpoint("unix:///no/such/folder/x"), [](home&, transport_ptr) {}).error());
  close(listener);
}

TEST_F(acceptor_test, goes_on_when_descriptors_have_run_short) {
  std::promise<void> arrived;
  bool is_first = true;
  acceptor listener{where()};
  auto bound = listener.listen(*parse_endpoint("mqtt://127.0.0.1:0"), [&](home&, transport_ptr) {
    if (std::exchange(is_first, false)) arrived.set_value();
  });
  ASSERT_TRUE(bound);
  // UBSan reads the first object of each type through a pipe, for which there will be no descriptor.
  idle(where());
  EXPECT_NE(boost::system::error_code(EMFILE, boost::system::system_category()),
            boost::system::errc::connection_aborted);
  const int caller = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
  rlimit none = before;
  none.rlim_cur = static_cast<rlim_t>(caller); // no new descriptor beyond what is open
  std::vector<int> holes{::dup(caller)};
  while (holes.back() >= 0 && holes.back() < caller) holes.push_back(::dup(caller));
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &none), 0);
  const address to{boost::asio::ip::make_address("127.0.0.1"), bound->port};
  ASSERT_EQ(::connect(caller, to.data(), static_cast<socklen_t>(to.size())), 0);
  idle(where());
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &before), 0);
  arrived.get_future().get();
  for (const int each : holes) ::close(each);
  ::close(caller);
  close(listener);
}

TEST_F(acceptor_test, hands_over_nothing_after_it_has_closed) {
  for (int round = 0; round < 30; ++round) {
    std::atomic<bool> is_closed{false};
    acceptor listener{where(), {}, [this, turn = 0U]() mutable -> home& { return where(turn++ % 3); }};
    auto bound = listener.listen(*parse_endpoint("mqtt://127.0.0.1:0"),
                                 [&](home&, transport_ptr) { EXPECT_FALSE(is_closed.load()); });
    ASSERT_TRUE(bound);
    std::vector<int> callers;
    const address to{boost::asio::ip::make_address("127.0.0.1"), bound->port};
    for (int i = 0; i < 5; ++i) {
      callers.push_back(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
      ASSERT_EQ(::connect(callers.back(), to.data(), static_cast<socklen_t>(to.size())), 0);
    }
    std::promise<void> closed;
    listener.close([&] {
      is_closed = true;
      closed.set_value();
    });
    closed.get_future().get();
    for (const int each : callers) ::close(each);
  }
}

} // namespace
