// wills: when the last will of a client is said, and when it is not.
#include "support/shard_rig.hpp"
#include "support/with_will.hpp"

#include <gtest/gtest.h>

namespace troupe {
namespace {

using namespace std::chrono_literals;
using protocol::packet_type;
using protocol::reason_code;
using test::rig_client;
using test::shard_rig;
using test::with_will;

struct will_test : testing::Test {
  will_test() {
    watcher.connect({.id = "watcher"});
    watcher.subscribe("will");
    watcher.hear();
  }
  /// A client with a will goes without goodbye and leaves a session for so many seconds.
  void lose_a_client(std::uint32_t delay, std::uint32_t expiry) {
    with_will testament{delay};
    rig_client client{rig};
    client.connect({.clean = false, .expiry = expiry, .will = testament.will});
    client.hang_up();
  }
  std::size_t heard() { return watcher.hear(packet_type::publish).size(); }

  shard_rig rig{};
  rig_client watcher{rig};
};

TEST_F(will_test, is_said_when_the_connection_is_lost) {
  with_will testament{0};
  rig_client client{rig};
  client.connect({.will = testament.will});
  client.hang_up();
  EXPECT_EQ(watcher.payloads(), std::vector<std::string>{"gone"});
}

TEST_F(will_test, is_not_said_after_goodbye) { // [MQTT-3.14.4-3]
  with_will testament{0};
  rig_client client{rig};
  client.connect({.will = testament.will});
  client.disconnect();
  client.hang_up();
  EXPECT_EQ(heard(), 0U);
}

TEST_F(will_test, is_said_after_goodbye_with_will) {
  with_will testament{0};
  rig_client client{rig};
  client.connect({.will = testament.will});
  client.disconnect(reason_code::disconnect_with_will);
  EXPECT_EQ(heard(), 1U);
}

TEST_F(will_test, is_said_when_the_client_breaks_the_protocol) {
  with_will testament{0};
  rig_client client{rig};
  client.connect({.will = testament.will});
  client.send({0xF0, 0x00, 0x00});
  EXPECT_EQ(heard(), 1U);
}

TEST_F(will_test, waits_for_its_delay) {
  lose_a_client(2, 60);
  rig.advance(1900ms);
  EXPECT_EQ(heard(), 0U);
  rig.advance(200ms);
  EXPECT_EQ(heard(), 1U);
  rig.advance(60s);
  EXPECT_EQ(heard(), 0U);
}

TEST_F(will_test, is_cancelled_when_the_session_is_resumed) { // [MQTT-3.1.3-9]
  lose_a_client(2, 60);
  rig.advance(1s);
  rig_client back{rig};
  back.connect({.clean = false, .expiry = 60});
  rig.advance(5s);
  EXPECT_EQ(heard(), 0U);
}

TEST_F(will_test, is_said_when_the_session_ends_before_the_delay) {
  lose_a_client(30, 1);
  rig.advance(1200ms);
  EXPECT_EQ(heard(), 1U);
}

TEST_F(will_test, is_said_at_once_when_a_clean_start_ends_the_session) {
  lose_a_client(30, 60);
  rig_client back{rig};
  back.connect({.clean = true});
  EXPECT_EQ(heard(), 1U);
  back.hang_up();
  rig.advance(60s);
  EXPECT_EQ(heard(), 0U);
}

} // namespace
} // namespace troupe
