#include "support/ends.hpp"
#include "support/port_holder.hpp"

#include <troupe/runtime/acceptor.hpp>
#include <troupe/runtime/dialer.hpp>
#include <troupe/runtime/tcp_race.hpp>

#include <gtest/gtest.h>

#include <set>

namespace {

using namespace troupe;
using namespace troupe::runtime;
using namespace troupe::test;
using namespace std::chrono_literals;
using protocol::result;

address local(std::uint16_t port) { return {boost::asio::ip::make_address("127.0.0.1"), port}; }

/// Answers what it was told to, or nothing.
class scripted_resolver final : public resolver {
public:
  std::vector<address> addresses;
  std::error_code error;
  bool is_silent = false;
  std::vector<std::string> asked;

  std::shared_ptr<void> resolve(home& where, const std::string& host, std::uint16_t, answer done) override {
    asked.push_back(host);
    auto token = std::make_shared<int>();
    if (!is_silent)
      where.post([this, weak = std::weak_ptr{token}, done = std::move(done)] {
        if (weak.expired()) return;
        if (error)
          done(error);
        else
          done(addresses);
      });
    return token;
  }
};

class dialer_test : public testing::Test {
protected:
  void TearDown() override {
    at(where(), [&] {
      dialer_.reset();
      pipe_.reset();
    });
  }
  home& where() { return stage_.inside()[0]; }

  void dial(const std::string& to, dial_options options = {}) {
    at(where(), [&] {
      dialer_ = std::make_unique<dialer>(where(), options);
      dialer_->dial(*parse_endpoint(to), [&](result<transport_ptr> got) { on_answer(std::move(got)); });
      EXPECT_TRUE(dialer_->is_dialling());
    });
  }
  void on_answer(result<transport_ptr> got) {
    ++answers_;
    const auto error = got.error();
    if (got) pipe_ = std::move(*got);
    answer_.set_value(error);
  }
  std::error_code wait() { return answer_.get_future().get(); }
  static void serve(acceptor& listener, endpoint& bound, const std::string& where) {
    auto got = listener.listen(*parse_endpoint(where), [](home&, transport_ptr) {});
    ASSERT_TRUE(got) << got.error().message();
    bound = *got;
  }

  manual_clock time_;
  stage stage_{{.workers = 1, .time = &time_}};
  std::shared_ptr<scripted_resolver> names_ = std::make_shared<scripted_resolver>();
  std::unique_ptr<dialer> dialer_;
  transport_ptr pipe_;
  std::promise<std::error_code> answer_;
  int answers_ = 0;
};

TEST_F(dialer_test, connects_to_an_address_and_to_a_name) {
  acceptor listener{where()};
  endpoint bound;
  serve(listener, bound, "mqtt://127.0.0.1:0");
  EXPECT_NE(bound.port, 0);
  dial(to_string(bound));
  EXPECT_FALSE(wait());
  EXPECT_EQ(pipe_->peer_name(), "127.0.0.1:" + std::to_string(bound.port));
  answer_ = {};
  dial("mqtt://localhost:" + std::to_string(bound.port));
  EXPECT_FALSE(wait());
}

TEST_F(dialer_test, says_so_when_nobody_listens) {
  const port_holder closed{-1};
  dial("mqtt://127.0.0.1:" + std::to_string(closed.port()));
  EXPECT_EQ(wait(), std::errc::connection_refused);
  answer_ = {};
  dial("unix:///no/such/socket");
  EXPECT_EQ(wait(), std::errc::no_such_file_or_directory);
  answer_ = {};
  dial("loopback://nobody");
  EXPECT_EQ(wait(), std::errc::connection_refused);
}

TEST_F(dialer_test, gives_up_on_a_black_hole_when_its_time_is_over) {
  port_holder hole{0};
  hole.fill();
  dial("mqtt://127.0.0.1:" + std::to_string(hole.port()), {.timeout = 3s});
  time_.advance(2999ms);
  EXPECT_EQ(at(where(), [&] { return answers_; }), 0);
  time_.advance(1ms);
  EXPECT_EQ(wait(), std::errc::timed_out);
  EXPECT_FALSE(at(where(), [&] { return dialer_->is_dialling(); }));
}

TEST_F(dialer_test, counts_a_silent_name_server_against_the_same_time) {
  names_->is_silent = true;
  dial("mqtt://somewhere", {.timeout = 3s, .names = names_});
  time_.advance(3s);
  EXPECT_EQ(wait(), std::errc::timed_out);
}

TEST_F(dialer_test, passes_on_what_the_resolver_says) {
  names_->error = std::make_error_code(std::errc::host_unreachable);
  dial("mqtt://somewhere", {.names = names_});
  EXPECT_EQ(wait(), std::errc::host_unreachable);
}

TEST_F(dialer_test, survives_a_resolver_without_addresses) {
  dial("mqtt://somewhere", {.names = names_});
  EXPECT_EQ(wait(), std::errc::address_not_available);
}

TEST_F(dialer_test, tries_the_next_address_at_once_when_one_is_refused) {
  const port_holder closed{-1};
  const port_holder alive{8};
  names_->addresses = {local(closed.port()), local(alive.port())};
  dial("mqtt://somewhere", {.names = names_});
  EXPECT_FALSE(wait()); // the clock has not moved
  EXPECT_EQ(pipe_->peer_name(), "127.0.0.1:" + std::to_string(alive.port()));
}

TEST_F(dialer_test, tries_the_next_address_when_one_is_silent) {
  port_holder hole{0};
  hole.fill();
  const port_holder alive{8};
  names_->addresses = {local(hole.port()), local(alive.port())};
  dial("mqtt://somewhere", {.timeout = 10s, .stagger = 250ms, .names = names_});
  time_.advance(249ms);
  EXPECT_EQ(at(where(), [&] { return answers_; }), 0);
  time_.advance(1ms);
  EXPECT_FALSE(wait());
  EXPECT_EQ(pipe_->peer_name(), "127.0.0.1:" + std::to_string(alive.port()));
}

TEST_F(dialer_test, answers_the_last_failure_when_all_addresses_fail) {
  const port_holder one{-1};
  const port_holder two{-1};
  names_->addresses = {local(one.port()), local(two.port())};
  dial("mqtt://somewhere", {.names = names_});
  EXPECT_EQ(wait(), std::errc::connection_refused);
}

TEST_F(dialer_test, resolves_again_each_time) {
  const port_holder first{8};
  const port_holder second{8};
  for (const port_holder* each : {&first, &second}) {
    names_->addresses = {local(each->port())};
    answer_ = {};
    dial("mqtt://somewhere", {.names = names_});
    EXPECT_FALSE(wait());
    EXPECT_EQ(pipe_->peer_name(), "127.0.0.1:" + std::to_string(each->port()));
  }
  EXPECT_EQ(names_->asked.size(), 2U);
}

TEST_F(dialer_test, says_nothing_once_cancelled_or_gone) {
  const port_holder alive{8};
  port_holder hole{0};
  hole.fill();
  for (const std::string& to :
       {"mqtt://127.0.0.1:" + std::to_string(alive.port()), "mqtt://127.0.0.1:" + std::to_string(hole.port()),
        std::string{"mqtt://localhost:1"}, std::string{"unix:///no"}, std::string{"loopback://no"},
        "mqtts://127.0.0.1:" + std::to_string(alive.port())}) {
    at(where(), [&] {
      dialer_ = std::make_unique<dialer>(where());
      dialer_->dial(*parse_endpoint(to), [&](result<transport_ptr>) { ++answers_; });
      dialer_->cancel();
      dialer_->dial(*parse_endpoint(to), [&](result<transport_ptr>) { ++answers_; });
      dialer_.reset();
    });
    idle(where());
    time_.advance(1min);
  }
  EXPECT_EQ(answers_, 0);
}

TEST_F(dialer_test, may_be_dropped_from_inside_its_answer) {
  const port_holder alive{8};
  const port_holder closed{-1};
  for (const std::uint16_t port : {alive.port(), closed.port()}) {
    answer_ = {};
    at(where(), [&] {
      dialer_ = std::make_unique<dialer>(where());
      dialer_->dial(*parse_endpoint("mqtt://127.0.0.1:" + std::to_string(port)),
                    [&](result<transport_ptr> got) {
                      dialer_.reset();
                      on_answer(std::move(got));
                    });
    });
    EXPECT_EQ(!wait(), port == alive.port());
    EXPECT_FALSE(dialer_);
  }
}

TEST_F(dialer_test, reaches_a_loopback_name_of_its_stage) {
  acceptor listener{where()};
  transport_ptr far;
  std::promise<void> arrived;
  ASSERT_TRUE(listener.listen(*parse_endpoint("loopback://inside"), [&](home&, transport_ptr came) {
    far = std::move(came);
    arrived.set_value();
  }));
  dial("loopback://inside");
  EXPECT_FALSE(wait());
  arrived.get_future().get();
  recorder near;
  recorder other;
  at(where(), [&] {
    pipe_->start(near);
    far->start(other);
    put(*pipe_, "hello");
  });
  ASSERT_TRUE(other.wait_for_octets(5));
  at(where(), [&] {
    far.reset();
    pipe_.reset();
  });
}

TEST(tcp_race, lets_the_families_take_turns) {
  const auto six = [](std::uint16_t port) { return address{boost::asio::ip::make_address("::1"), port}; };
  const std::vector<address> mixed = alternate_families({six(1), six(2), six(3), local(4), local(5)});
  EXPECT_EQ(mixed, (std::vector<address>{six(1), local(4), six(2), local(5), six(3)}));
  EXPECT_EQ(alternate_families({local(1), six(2)}), (std::vector<address>{local(1), six(2)}));
  EXPECT_TRUE(alternate_families({}).empty());
}

} // namespace
