// A publish that waits for a connection grows older meanwhile: it says what is left of its lifetime, or
// is not sent at all (section 3.3.2.3.3).
#include <troupe/actors/client.hpp>
#include <troupe/runtime/clock.hpp>

#include "support/actors/scripted_broker.hpp"
#include "support/hex.hpp"

#include <gtest/gtest.h>

namespace {

using support::dump;
using namespace std::chrono_literals;
using troupe::qos;
using troupe::protocol::property;

TEST(offline_queues, age_what_waits_and_send_nothing_that_has_expired) {
  troupe::runtime::manual_clock time;
  support::scripted_broker broker;
  troupe::stage stage{{.time = &time}};
  troupe::client_options options;
  options.broker = broker.url();
  options.client_id = "c";
  options.keep_alive = 0s;
  options.dial_at_once = false;
  troupe::client c{stage, options};
  EXPECT_FALSE(c.connected().get().ok()); // so the client has settled
  const auto living = [](std::uint32_t seconds) {
    troupe::protocol::property_block properties;
    EXPECT_TRUE(properties.set(property::message_expiry_interval, seconds).has_value());
    return properties;
  };
  const auto longer = living(10);
  const auto shorter = living(3);
  auto first = c.publish("a", "x", qos::at_least_once, {.properties = shorter.view()});
  auto second = c.publish("b", "x", qos::at_least_once, {.properties = longer.view()});
  EXPECT_FALSE(c.connected().get().ok()); // so both have been taken
  time.advance(4s);
  auto up = c.connect();
  auto link = broker.accept();
  link.welcome();
  EXPECT_EQ(link.read(), dump("32 0C 00 01 'b' 00 01 05 02 00 00 00 06 'x'"));
  EXPECT_EQ(first.get().error(), std::errc::timed_out);
  link.write("40 02 00 01");
  EXPECT_TRUE(second.get().ok());
  EXPECT_TRUE(up.get().ok());
  auto end = c.disconnect();
  link.read();
  link.close();
  EXPECT_TRUE(end.get().ok());
}

} // namespace
