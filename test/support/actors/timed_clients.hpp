// timed_clients: clients whose time and whose network the test moves: nothing happens by itself.
//
// Lives here: timed_clients, the fixture; eager_hooks; both_schedulers, on which its tests run.
#pragma once

#include "scripted_line.hpp"

#include <troupe/actors/client.hpp>
#include <troupe/runtime/clock.hpp>

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string_view>

namespace support {

/// Waits no time between attempts, so that a connection that is lost is dialled again by itself.
class eager_hooks final : public troupe::client_hooks {
public:
  troupe::retry_answer on_retry(const troupe::retry_question&) override {
    return {false, std::chrono::milliseconds{0}};
  }
};

class timed_clients : public testing::TestWithParam<troupe::scheduler_kind> {
protected:
  troupe::client_options options() const {
    troupe::client_options result;
    result.broker = "mqtt://script";
    result.connector = network;
    result.client_id = "c";
    result.keep_alive = std::chrono::seconds{0};
    result.backoff_first = std::chrono::milliseconds{1};
    result.backoff_limit = std::chrono::milliseconds{1};
    return result;
  }
  /// The connection that is dialled now, or after the wait for it.
  line accept() {
    for (int turn = 0; turn != 100 && (time.settle(), !network->has_caller()); ++turn)
      time.advance(std::chrono::milliseconds{1});
    auto made = network->accept();
    time.settle();
    return made;
  }
  /// Accepts, and lets the broker say `connack`; CONNECT is taken off.
  line welcome(std::string_view connack = "20 03 00 00 00") {
    auto made = accept();
    EXPECT_EQ(made.next().substr(0, 2), "10");
    say(made, connack);
    return made;
  }
  /// Octets come, and everything that follows from them happens.
  void say(line& to, std::string_view hex_text) {
    to.say(hex_text);
    time.settle();
  }
  /// Everything the client has sent up to now.
  std::string heard(line& from) {
    time.settle();
    return from.all();
  }

  std::shared_ptr<scripted_network> network = std::make_shared<scripted_network>();
  troupe::runtime::manual_clock time;
  troupe::stage stage{{.scheduler = GetParam(), .time = &time}};
};

inline auto both_schedulers() {
  return testing::Values(troupe::scheduler_kind::own, troupe::scheduler_kind::sharing);
}
inline std::string scheduler_name(const testing::TestParamInfo<troupe::scheduler_kind>& which) {
  return which.param == troupe::scheduler_kind::own ? "own" : "sharing";
}

} // namespace support
