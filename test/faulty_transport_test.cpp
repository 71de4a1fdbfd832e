// What a broker does wrong when a test orders it.
#include "support/raw_client.hpp"

#include <troupe/broker/broker.hpp>
#include <troupe/broker/faults.hpp>
#include <troupe/runtime/clock.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace troupe {
namespace {

using namespace std::chrono_literals;
using protocol::packet_type;
using protocol::qos;
using protocol::reason_code;
using protocol::version;
using test::raw_client;
using test::seen;
using texts = std::vector<std::string>;

struct faulty_transport_test : testing::TestWithParam<scheduler_kind> {
  runtime::manual_clock time{};
  stage where{{.scheduler = GetParam(), .time = &time}};
  std::shared_ptr<fault_orders> orders = std::make_shared<fault_orders>();
  broker our{where, {.faults = orders}};
  std::string endpoint = *our.listen("mqtt://127.0.0.1:0");

  static std::vector<packet_type> types(const std::vector<seen>& all) {
    std::vector<packet_type> found;
    for (const seen& one : all) found.push_back(one.type);
    return found;
  }
};

INSTANTIATE_TEST_SUITE_P(own_and_stock, faulty_transport_test,
                         testing::Values(scheduler_kind::own, scheduler_kind::sharing),
                         [](const auto& which) {
                           return which.param == scheduler_kind::own ? "own" : "sharing";
                         });

TEST_P(faulty_transport_test, without_orders_does_nothing_wrong) {
  raw_client one{endpoint};
  EXPECT_EQ(one.say_hello().reason, reason_code::success);
  one.listen_to("t");
  const std::string large(100'000, 'x');
  one.publish("t", large, {.quality = qos::exactly_once});
  EXPECT_TRUE(one.next(packet_type::publish).payload == large);
  EXPECT_EQ(one.next().type, packet_type::pubrec);
  one.acknowledge(packet_type::pubrel, 1);
  EXPECT_EQ(one.next().type, packet_type::pubcomp);
  EXPECT_EQ(orders->done(), 0U);
}

TEST_P(faulty_transport_test, refuses_so_often_and_then_accepts) {
  orders->add(faults::refuse_connect(reason_code::server_busy, 2));
  for (const version each : {version::v5_0, version::v3_1_1}) {
    raw_client one{endpoint};
    const auto said = each == version::v5_0 ? reason_code::server_busy : reason_code::server_unavailable;
    EXPECT_EQ(one.say_hello({.version = each}).reason, said);
    EXPECT_TRUE(one.sees_end());
  }
  raw_client one{endpoint};
  EXPECT_EQ(one.say_hello().reason, reason_code::success);
  EXPECT_EQ(orders->done(), 2U);
  EXPECT_EQ(orders->open(), 0U);
}

TEST_P(faulty_transport_test, lies_about_the_session) {
  orders->add(faults::claim_session(true));
  raw_client one{endpoint};
  EXPECT_TRUE(one.say_hello().session_present);
  raw_client two{endpoint};
  EXPECT_FALSE(two.say_hello({.id = "two"}).session_present);
}

TEST_P(faulty_transport_test, rewrites_what_it_says) {
  orders->add(faults::rewrite(packet_type::connack, [](auto& packet) { packet[3] = 0x8C; }));
  raw_client one{endpoint};
  EXPECT_EQ(one.say_hello().reason, reason_code::bad_authentication_method);
}

TEST_P(faulty_transport_test, denies_one_filter_of_some) {
  for (const version each : {version::v5_0, version::v3_1_1}) {
    orders->add(faults::deny_filter(reason_code::not_authorized, each == version::v5_0 ? 1 : 0));
    raw_client one{endpoint};
    one.say_hello({.version = each});
    one.subscribe({{.filter = "a"}, {.filter = "b"}});
    const auto codes = one.next(packet_type::suback).codes;
    ASSERT_EQ(codes.size(), 2U);
    EXPECT_EQ(protocol::is_failure(codes[0]), each == version::v3_1_1);
    EXPECT_EQ(protocol::is_failure(codes[1]), each == version::v5_0);
  }
}

TEST_P(faulty_transport_test, withholds_repeats_and_reorders_acknowledgements) {
  raw_client one{endpoint};
  one.say_hello();
  orders->add(faults::lose(packet_type::puback));
  orders->add({.what = fault::deed::repeat, .on = packet_type::puback, .skip = 1});
  orders->add({.what = fault::deed::step_back, .on = packet_type::puback, .skip = 2});
  for (protocol::packet_id id = 1; id <= 4; ++id)
    one.publish("t", "x", {.quality = qos::at_least_once, .id = id});
  std::vector<protocol::packet_id> ids;
  for (int each = 0; each < 4; ++each) ids.push_back(one.next(packet_type::puback).id);
  EXPECT_EQ(ids, (std::vector<protocol::packet_id>{2, 2, 4, 3}));
}

TEST_P(faulty_transport_test, delays_by_the_clock) {
  raw_client one{endpoint};
  one.say_hello();
  orders->add(faults::delay(packet_type::puback, 1h));
  orders->add(faults::delay(packet_type::pingresp, 2s));
  one.publish("t", "x", {.quality = qos::at_least_once, .id = 1});
  one.publish("t", "x", {.quality = qos::at_least_once, .id = 2});
  EXPECT_EQ(one.next().id, 2U);
  one.send({0xC0, 0x00});
  one.publish("t", "x", {.quality = qos::at_least_once, .id = 3});
  EXPECT_EQ(one.next().id, 3U);
  time.advance(2s);
  EXPECT_EQ(one.next().type, packet_type::pingresp);
  time.advance(1h);
  EXPECT_EQ(one.next().id, 1U);
}

TEST_P(faulty_transport_test, repeats_a_qos_2_message_before_its_release) {
  raw_client one{endpoint};
  one.say_hello();
  one.listen_to("t");
  orders->add(faults::resend_before_release());
  EXPECT_TRUE(our.publish("t", "x", qos::exactly_once));
  const seen first = one.next(packet_type::publish);
  EXPECT_FALSE(first.dup);
  one.acknowledge(packet_type::pubrec, first.id);
  const seen again = one.next();
  EXPECT_EQ(again.type, packet_type::publish);
  EXPECT_EQ(again.id, first.id);
  EXPECT_TRUE(again.dup);
  EXPECT_EQ(again.payload, "x");
  EXPECT_EQ(one.next().type, packet_type::pubrel);
  one.acknowledge(packet_type::pubrec, first.id);
  EXPECT_EQ(one.next().type, packet_type::pubrel);
  one.acknowledge(packet_type::pubcomp, first.id);
  one.sync();
}

TEST_P(faulty_transport_test, overruns_the_receive_maximum) {
  raw_client one{endpoint};
  one.say_hello({.receive_maximum = 2});
  one.listen_to("t");
  orders->add(faults::overrun(3));
  EXPECT_TRUE(our.publish("t", "x", qos::at_least_once));
  std::vector<protocol::packet_id> ids;
  for (int each = 0; each < 4; ++each) ids.push_back(one.next(packet_type::publish).id);
  std::sort(ids.begin(), ids.end());
  EXPECT_EQ(std::unique(ids.begin(), ids.end()), ids.end());
  for (const auto id : ids) one.acknowledge(packet_type::puback, id);
  one.sync(); // none of it made the broker angry
}

TEST_P(faulty_transport_test, cuts_the_connection_at_any_octet) {
  for (std::size_t octets = 1; octets <= 8; ++octets) {
    orders->add(faults::cut_after(octets, packet_type::publish));
    raw_client one{endpoint};
    one.say_hello();
    one.listen_to("t");
    EXPECT_TRUE(our.publish("t", "0123456789"));
    EXPECT_EQ(one.next().type, packet_type{});
    EXPECT_TRUE(one.sees_end());
    EXPECT_EQ(one.rest(), octets);
  }
}

TEST_P(faulty_transport_test, says_everything_in_fragments) {
  orders->add(faults::fragment(1));
  raw_client one{endpoint};
  EXPECT_EQ(one.say_hello().reason, reason_code::success);
  one.subscribe("t");
  for (const char* text : {"a", "b", "c"}) one.publish("t", text);
  EXPECT_EQ(one.payloads(3), (texts{"a", "b", "c"}));
}

TEST_P(faulty_transport_test, throttles_by_the_clock) {
  raw_client one{endpoint};
  one.say_hello();
  orders->add(faults::throttle(3, 1s));
  one.send({0xC0, 0x00}); // PINGRESP fits, and begins the pace
  EXPECT_EQ(one.next().type, packet_type::pingresp);
  one.subscribe("t"); // 6 octets: two pieces
  while (our.statistics().subscriptions == 0) std::this_thread::yield();
  time.advance(500ms);
  EXPECT_EQ(one.rest_now(), 0U);
  time.advance(500ms);
  EXPECT_EQ(one.rest_now(), 3U);
  time.advance(1s);
  EXPECT_EQ(one.next().type, packet_type::suback);
}

TEST_P(faulty_transport_test, swallows_everything_from_a_packet_on) {
  raw_client one{endpoint};
  one.say_hello({.id = "one"});
  one.listen_to("t");
  orders->add({.what = fault::deed::black_hole, .on = packet_type::pingresp, .client_id = "one"});
  raw_client other{endpoint};
  other.say_hello({.id = "other"});
  other.subscribe("t");
  other.sync(); // its own PINGRESP comes
  one.send({0xC0, 0x00});
  while (orders->open() != 0) std::this_thread::yield();
  one.publish("t", "lost");
  EXPECT_TRUE(our.publish("t", "x"));
  EXPECT_EQ(other.payloads(1), texts{"x"});
  EXPECT_EQ(one.rest_now(), 0U);
  EXPECT_EQ(our.statistics().messages_received, 1U); // the broker's own
}

TEST_P(faulty_transport_test, loses_what_clients_say) {
  raw_client one{endpoint};
  one.say_hello();
  orders->add(faults::lose_from_client(packet_type::publish));
  one.publish("t", "lost", {.quality = qos::at_least_once, .id = 1});
  one.publish("t", "heard", {.quality = qos::at_least_once, .id = 2});
  EXPECT_EQ(one.next().id, 2U);
  EXPECT_EQ(our.statistics().messages_received, 1U);
}

TEST(fault_orders, fit_what_they_name_as_often_as_they_say) {
  fault_orders orders;
  orders.add({.on = packet_type::puback, .client_id = "a", .skip = 1, .times = 2});
  const auto count = [&](packet_type type, std::string_view id) {
    return orders.take(fault::way::to_client, type, id).size();
  };
  EXPECT_EQ(count(packet_type::suback, "a"), 0U);
  EXPECT_EQ(count(packet_type::puback, "b"), 0U);
  EXPECT_EQ(count(packet_type::puback, "a"), 0U); // left alone
  EXPECT_EQ(orders.take(fault::way::from_client, packet_type::puback, "a").size(), 0U);
  EXPECT_EQ(count(packet_type::puback, "a"), 1U);
  EXPECT_EQ(count(packet_type::puback, "a"), 1U);
  EXPECT_EQ(count(packet_type::puback, "a"), 0U);
  orders.add({.times = 0});
  for (int each = 0; each < 10; ++each) EXPECT_EQ(count(packet_type::publish, ""), 1U);
  EXPECT_EQ(orders.open(), 1U);
  orders.clear();
  EXPECT_EQ(orders.open(), 0U);
  EXPECT_EQ(orders.done(), 12U);
}

} // namespace
} // namespace troupe
