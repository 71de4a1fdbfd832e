#include "support/wire.hpp"

#include <troupe/protocol/properties.hpp>
#include <troupe/protocol/utf8.hpp>
#include <troupe/protocol/wire_reader.hpp>

#include <gtest/gtest.h>
#include <map>
#include <rapidcheck/gtest.h>

namespace {

using namespace troupe::protocol;
using namespace support;
using enum property_place;

constexpr property_place places[] = {connect,
                                     connack,
                                     publish_to_server,
                                     publish_to_client,
                                     puback,
                                     pubrec,
                                     pubrel,
                                     pubcomp,
                                     subscribe,
                                     suback,
                                     unsubscribe,
                                     unsuback,
                                     disconnect_from_client,
                                     disconnect_from_server,
                                     auth,
                                     will};

/// One well-formed block for each identifier.
const std::pair<property, const char*> samples[] = {
    {property::payload_format_indicator, "01 01"},
    {property::message_expiry_interval, "02 00000001"},
    {property::content_type, "03 0001'c'"},
    {property::response_topic, "08 0001't'"},
    {property::correlation_data, "09 0001 FF"},
    {property::subscription_identifier, "0B 01"},
    {property::session_expiry_interval, "11 FFFFFFFF"},
    {property::assigned_client_identifier, "12 0001'i'"},
    {property::server_keep_alive, "13 0000"},
    {property::authentication_method, "15 0001'm'"},
    {property::authentication_data, "16 0000"},
    {property::request_problem_information, "17 00"},
    {property::will_delay_interval, "18 00000000"},
    {property::request_response_information, "19 01"},
    {property::response_information, "1A 0001'r'"},
    {property::server_reference, "1C 0001's'"},
    {property::reason_string, "1F 0001'r'"},
    {property::receive_maximum, "21 0001"},
    {property::topic_alias_maximum, "22 0000"},
    {property::topic_alias, "23 0001"},
    {property::maximum_qos, "24 01"},
    {property::retain_available, "25 00"},
    {property::user_property, "26 0001'k' 0001'v'"},
    {property::maximum_packet_size, "27 00000001"},
    {property::wildcard_subscription_available, "28 00"},
    {property::subscription_identifier_available, "29 01"},
    {property::shared_subscription_available, "2A 01"},
};

TEST(properties, section_2_2_2_2_stand_where_they_may_and_nowhere_else) {
  for (const auto& [id, bytes] : samples)
    for (const auto place : places) {
      const bool may = (allowed_properties(place) >> static_cast<unsigned>(id)) & 1U;
      const padded block = hex(bytes);
      const auto view = validate_properties(block, place);
      const bool lone_data =
          id == property::authentication_data || (place == auth && id != property::authentication_method);
      EXPECT_EQ(view.has_value(), may && !lone_data) << name(id) << " at " << static_cast<int>(place);
      if (view) {
        EXPECT_TRUE(view->has(id));
      }
    }
}

TEST(properties, section_2_2_2_2_table_is_that_of_the_standard) {
  const auto count = [](property id) {
    return std::ranges::count_if(places, [id](auto place) {
      return ((allowed_properties(place) >> static_cast<unsigned>(id)) & 1U) != 0;
    });
  };
  EXPECT_EQ(count(property::user_property), 16);
  EXPECT_EQ(count(property::reason_string), 10);
  EXPECT_EQ(count(property::payload_format_indicator), 3);
  EXPECT_EQ(count(property::subscription_identifier), 2);
  EXPECT_EQ(count(property::session_expiry_interval), 3);
  EXPECT_EQ(count(property::authentication_method), 3);
  EXPECT_EQ(count(property::server_reference), 2);
  EXPECT_EQ(count(property::topic_alias), 2);
  EXPECT_EQ(count(property::receive_maximum), 2);
  EXPECT_EQ(count(property::will_delay_interval), 1);
}

TEST(properties, every_one_but_the_user_property_stands_once) {
  for (const auto& [id, bytes] : samples) {
    const padded twice = hex(std::string{bytes} + bytes);
    for (const auto place : places) {
      if (((allowed_properties(place) >> static_cast<unsigned>(id)) & 1U) == 0) continue;
      const bool many = id == property::user_property
                        || (id == property::subscription_identifier && place == publish_to_client);
      const auto view = validate_properties(twice, place);
      if (many && place != auth) {
        EXPECT_TRUE(view) << name(id);
      } else {
        EXPECT_EQ(view.error(), errc::protocol_error) << name(id);
      }
    }
  }
}

TEST(properties, cut_off_anywhere_are_malformed) {
  for (const auto& [id, bytes] : samples) {
    const auto whole = parse_hex(bytes);
    for (const auto place : places) {
      if (((allowed_properties(place) >> static_cast<unsigned>(id)) & 1U) == 0) continue;
      for (std::size_t size = 1; size < whole.size(); ++size) {
        const padded block{octets{whole}.first(size)};
        EXPECT_EQ(validate_properties(block, place).error(), errc::malformed_packet)
            << name(id) << ' ' << size;
      }
    }
  }
}

TEST(properties, are_read_on_demand) {
  const padded block = hex("26 0001'a' 0001'1' | 02 00000E10 | 26 0001'a' 0001'2' | 09 0002 0102 | 0B 01 | "
                           "0B C101 | 03 0003'txt'");
  const auto view = validate_properties(block, publish_to_client);
  ASSERT_TRUE(view) << view.error().message();
  EXPECT_EQ(view->number(property::message_expiry_interval), 3600U);
  EXPECT_EQ(view->text(property::content_type), "txt");
  ASSERT_TRUE(view->binary(property::correlation_data));
  EXPECT_EQ(dump(*view->binary(property::correlation_data)), "01 02");
  EXPECT_EQ(view->number(property::topic_alias), std::nullopt);
  EXPECT_EQ(view->text(property::message_expiry_interval), std::nullopt) << "another type";
  EXPECT_EQ(view->number(property::content_type), std::nullopt);
  EXPECT_EQ(view->binary(property::content_type), std::nullopt);
  std::string user;
  view->for_each_user_property([&](user_property each) { user.append(each.name).append(each.value); });
  EXPECT_EQ(user, "a1a2") << "order and duplicates";
  std::vector<std::uint32_t> ids;
  view->for_each_subscription_identifier([&](std::uint32_t id) { ids.push_back(id); });
  EXPECT_EQ(ids, (std::vector<std::uint32_t>{1, 193}));
}

TEST(property_block, refuses_values_that_mqtt_refuses_and_stays_as_it_was) {
  property_block block;
  const std::string long_text(65'536, 'x');
  const auto refused = [](const result<void>& answer) { return answer.error() == errc::property_value; };
  EXPECT_TRUE(refused(block.set(property::payload_format_indicator, 2U)));
  EXPECT_TRUE(refused(block.set(property::maximum_qos, 2U)));
  EXPECT_TRUE(refused(block.set(property::receive_maximum, 0U)));
  EXPECT_TRUE(refused(block.set(property::receive_maximum, 65'536U)));
  EXPECT_TRUE(refused(block.set(property::topic_alias, 0U)));
  EXPECT_TRUE(refused(block.set(property::maximum_packet_size, 0U)));
  EXPECT_TRUE(refused(block.set(property::content_type, 1U)));
  EXPECT_TRUE(refused(block.set(property::content_type, "\xFF")));
  EXPECT_TRUE(refused(block.set(property::content_type, long_text)));
  EXPECT_TRUE(refused(block.set(property::content_type, as_octets("x"))));
  EXPECT_TRUE(refused(block.set(property::message_expiry_interval, "x")));
  EXPECT_TRUE(refused(block.set(property::response_topic, "a/#")));
  EXPECT_TRUE(refused(block.set(property::response_topic, "")));
  EXPECT_TRUE(refused(block.set(property::user_property, "x")));
  EXPECT_TRUE(refused(block.set(static_cast<property>(0x7F), 1U)));
  EXPECT_TRUE(refused(block.add_user_property("\xC0", "v")));
  EXPECT_TRUE(refused(block.add_user_property("k", std::string_view{"\0", 1})));
  EXPECT_TRUE(refused(block.add_subscription_identifier(0)));
  EXPECT_TRUE(refused(block.add_subscription_identifier(268'435'456)));
  EXPECT_TRUE(block.empty());
  EXPECT_EQ(block.view().seen(), 0U);
}

TEST(property_block, replaces_removes_and_forgets) {
  property_block block;
  ASSERT_TRUE(block.set(property::content_type, "one"));
  ASSERT_TRUE(block.add_user_property("k", "v"));
  ASSERT_TRUE(block.set(property::content_type, "two"));
  EXPECT_EQ(dump(block.view().block()), dump("26 0001'k' 0001'v' 03 0003'two'"));
  ASSERT_TRUE(block.add_subscription_identifier(200));
  ASSERT_TRUE(block.add_subscription_identifier(1));
  block.remove(property::subscription_identifier);
  EXPECT_FALSE(block.view().has(property::subscription_identifier));
  EXPECT_EQ(block.view().seen() & 1U, 0U);
  block.remove(property::user_property);
  EXPECT_EQ(dump(block.view().block()), dump("03 0003'two'"));
  const property_block copy{block.view()};
  block.clear();
  EXPECT_TRUE(block.empty());
  EXPECT_EQ(copy.view().text(property::content_type), "two");
}

TEST(property_block, accepts_octets_of_a_text_where_binary_is_meant) {
  property_block block;
  ASSERT_TRUE(block.set(property::correlation_data, "id-1"));
  ASSERT_TRUE(block.view().binary(property::correlation_data));
  EXPECT_EQ(as_text(*block.view().binary(property::correlation_data)), "id-1");
}

RC_GTEST_PROP(property_round_trip, what_a_block_built_is_validated_and_read_back, ()) {
  property_block built;
  std::map<property, std::uint32_t> numbers;
  std::vector<std::pair<std::string, std::string>> users;
  const auto steps = *rc::gen::inRange(0, 20);
  for (int i = 0; i < steps; ++i) {
    const auto [id, unused] =
        samples[static_cast<std::size_t>(*rc::gen::inRange<std::size_t>(0, std::size(samples)))];
    if (((allowed_properties(publish_to_client) >> static_cast<unsigned>(id)) & 1U) == 0) continue;
    const auto value = *rc::gen::arbitrary<std::uint32_t>();
    if (id == property::user_property) {
      const auto text = [] { return *rc::gen::container<std::string>(rc::gen::inRange('a', 'z')); };
      users.emplace_back(text(), text());
      RC_ASSERT(built.add_user_property(users.back().first, users.back().second));
    } else if (built.set(id, value % 2)) {
      numbers[id] = value % 2;
    }
  }
  const padded block{built.view().block()};
  const auto view = validate_properties(block, publish_to_client);
  RC_ASSERT(view);
  RC_ASSERT(view->seen() == built.view().seen());
  for (const auto& [id, value] : numbers) RC_ASSERT(view->number(id) == value);
  std::size_t i = 0;
  view->for_each_user_property([&](user_property each) {
    RC_ASSERT(each.name == users[i].first);
    RC_ASSERT(each.value == users[i].second);
    ++i;
  });
  RC_ASSERT(i == users.size());
}

} // namespace
