#include <troupe/protocol/reason_code.hpp>

#include <gtest/gtest.h>

namespace {

using namespace troupe::protocol;

TEST(reason_code, MQTT_2_4_is_a_failure_from_0x80_on) {
  EXPECT_FALSE(is_failure(reason_code::success));
  EXPECT_FALSE(is_failure(reason_code::reauthenticate));
  EXPECT_TRUE(is_failure(reason_code::unspecified_error));
  EXPECT_TRUE(is_failure(reason_code::wildcard_subscriptions_not_supported));
}

TEST(reason_code, has_43_values_with_names) {
  int known = 0;
  for (unsigned code = 0; code < 256; ++code)
    known += name(static_cast<reason_code>(code)) != "unknown reason code" ? 1 : 0;
  EXPECT_EQ(known, 43);
  EXPECT_EQ(name(reason_code::success), "success");
  EXPECT_EQ(name(reason_code::success, packet_type::suback), "granted QoS 0");
  EXPECT_EQ(name(reason_code::success, packet_type::disconnect), "normal disconnection");
  EXPECT_EQ(name(reason_code::quota_exceeded, packet_type::puback), "quota exceeded");
}

TEST(reason_code, stands_where_the_tables_of_the_standard_put_it) {
  const auto count = [](packet_type where, role sender) {
    int all = 0;
    for (unsigned code = 0; code < 256; ++code)
      all += may_stand_in(static_cast<reason_code>(code), where, sender) ? 1 : 0;
    return all;
  };
  EXPECT_EQ(count(packet_type::connack, role::server), 22); // section 3.2.2.2
  EXPECT_EQ(count(packet_type::connack, role::client), 0);
  EXPECT_EQ(count(packet_type::puback, role::client), 9);   // 3.4.2.1
  EXPECT_EQ(count(packet_type::pubrec, role::server), 9);   // 3.5.2.1
  EXPECT_EQ(count(packet_type::pubrel, role::client), 2);   // 3.6.2.1
  EXPECT_EQ(count(packet_type::pubcomp, role::server), 2);  // 3.7.2.1
  EXPECT_EQ(count(packet_type::suback, role::server), 12);  // 3.9.3
  EXPECT_EQ(count(packet_type::unsuback, role::server), 7); // 3.11.3
  EXPECT_EQ(count(packet_type::auth, role::server), 2);     // 3.15.2.1
  EXPECT_EQ(count(packet_type::auth, role::client), 2);
}

TEST(reason_code, return_codes_of_3_1_1_go_both_ways) {
  for (std::uint8_t code = 0; code <= 5; ++code) {
    const auto reason = from_return_code(code);
    ASSERT_TRUE(reason);
    EXPECT_EQ(to_return_code(*reason), code);
  }
  EXPECT_FALSE(from_return_code(6));
  EXPECT_EQ(to_return_code(reason_code::quota_exceeded), 3);
  EXPECT_EQ(to_return_code(reason_code::banned), 5);
}

} // namespace
