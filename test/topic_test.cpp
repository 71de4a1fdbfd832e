#include "support/wire.hpp"

#include <troupe/protocol/topic.hpp>

#include <gtest/gtest.h>
#include <random>
#include <vector>

namespace {

using namespace troupe::protocol;

/// Section 4.7 level by level, written down in the plainest way.
bool expected_match(const std::string& filter, const std::string& name) {
  const auto levels = [](const std::string& text) {
    std::vector<std::string> all(1);
    for (const char c : text) {
      if (c == '/')
        all.emplace_back();
      else
        all.back() += c;
    }
    return all;
  };
  const auto f = levels(filter);
  const auto n = levels(name);
  if (name[0] == '$' && (f[0] == "+" || f[0] == "#")) return false;
  for (std::size_t i = 0; i < f.size(); ++i) {
    if (f[i] == "#") return true;
    if (i == n.size()) return false;
    if (f[i] != "+" && f[i] != n[i]) return false;
  }
  return f.size() == n.size() || (f.size() == n.size() + 1 && f.back() == "#");
}

TEST(matches, MQTT_4_7_1_2_examples_of_the_standard) {
  EXPECT_TRUE(matches("sport/tennis/player1/#", "sport/tennis/player1"));
  EXPECT_TRUE(matches("sport/tennis/player1/#", "sport/tennis/player1/ranking"));
  EXPECT_TRUE(matches("sport/tennis/player1/#", "sport/tennis/player1/score/wimbledon"));
  EXPECT_TRUE(matches("sport/#", "sport"));
  EXPECT_TRUE(matches("#", "sport/tennis"));
  EXPECT_TRUE(matches("sport/tennis/+", "sport/tennis/player1"));
  EXPECT_FALSE(matches("sport/tennis/+", "sport/tennis/player1/ranking"));
  EXPECT_FALSE(matches("sport/+", "sport"));
  EXPECT_TRUE(matches("sport/+", "sport/"));
  EXPECT_TRUE(matches("+/+", "/finance"));
  EXPECT_TRUE(matches("/+", "/finance"));
  EXPECT_FALSE(matches("+", "/finance"));
}

TEST(matches, MQTT_4_7_2_1_wildcards_do_not_reach_dollar_topics) {
  EXPECT_FALSE(matches("#", "$SYS"));
  EXPECT_FALSE(matches("#", "$SYS/monitor"));
  EXPECT_FALSE(matches("+/monitor/Clients", "$SYS/monitor/Clients"));
  EXPECT_TRUE(matches("$SYS/#", "$SYS/monitor"));
  EXPECT_TRUE(matches("$SYS/+", "$SYS/monitor"));
  EXPECT_TRUE(matches("a/#", "a/$SYS"));
}

TEST(matches, section_4_7_3_levels_may_be_empty_and_case_counts) {
  EXPECT_TRUE(matches("a//b", "a//b"));
  EXPECT_FALSE(matches("a/b", "a//b"));
  EXPECT_TRUE(matches("a/+/b", "a//b"));
  EXPECT_FALSE(matches("/a", "a"));
  EXPECT_FALSE(matches("A", "a"));
  EXPECT_TRUE(matches("/#", "/"));
  EXPECT_FALSE(matches("/#", "a"));
}

TEST(matches, agrees_with_the_plain_form_on_random_pairs) {
  std::mt19937 chance{7};
  const auto text = [&](std::string_view letters) {
    std::string made;
    for (auto size = 1 + chance() % 6; size > 0; --size) made += letters[chance() % letters.size()];
    return made;
  };
  int compared = 0;
  for (int i = 0; i < 400'000; ++i) {
    const std::string filter = text("ab//++#$");
    const std::string name = text("ab//$");
    if (!check_topic_filter(filter) || !check_topic_name(name)) continue;
    ASSERT_EQ(matches(filter, name), expected_match(filter, name)) << filter << ' ' << name;
    ++compared;
  }
  EXPECT_GT(compared, 50'000);
}

TEST(check_topic_name, MQTT_4_7_3_refuses_what_is_no_name) {
  EXPECT_TRUE(check_topic_name("a"));
  EXPECT_TRUE(check_topic_name("/"));
  EXPECT_TRUE(check_topic_name("Accounts payable"));
  EXPECT_TRUE(check_topic_name(std::string(65'535, 'a')));
  for (const std::string& wrong : {std::string{}, std::string(65'536, 'a'), std::string{"a/+"},
                                   std::string{"#"}, std::string{"a\0", 2}, std::string{"\xED\xA0\x80"}})
    EXPECT_EQ(check_topic_name(wrong).error(), errc::invalid_topic_name);
}

TEST(check_topic_filter, MQTT_4_7_1_wants_wildcards_in_their_places) {
  for (const char* right :
       {"#", "+", "/", "a/#", "a/+/b", "+/tennis/#", "/+", "+/+", "$SYS/#", "a//#", "+//+"})
    EXPECT_TRUE(check_topic_filter(right)) << right;
  for (const char* wrong :
       {"", "a#", "#/", "a/#/b", "a+", "+a", "sport/tennis#", "sport+", "sport/#/ranking", "##", "++"})
    EXPECT_EQ(check_topic_filter(wrong).error(), errc::invalid_topic_filter) << wrong;
  EXPECT_EQ(check_topic_filter(std::string(65'536, 'a')).error(), errc::invalid_topic_filter);
  EXPECT_EQ(check_topic_filter("a\xFF").error(), errc::invalid_topic_filter);
}

TEST(check_topic_filter, MQTT_4_8_2_1_and_2_judge_shared_filters) {
  for (const char* right :
       {"$share/group/a", "$share/g/#", "$share/g/+/b", "$share/g//a", "$share/g/$SYS/#", "$share"})
    EXPECT_TRUE(check_topic_filter(right)) << right;
  for (const char* wrong : {"$share/", "$share//a", "$share/g", "$share/g/", "$share/+/a", "$share/#"})
    EXPECT_EQ(check_topic_filter(wrong).error(), errc::invalid_share_name) << wrong;
  EXPECT_EQ(check_topic_filter("$share/g#/a").error(), errc::invalid_topic_filter);
  EXPECT_EQ(check_topic_filter("$share/g/a#").error(), errc::invalid_topic_filter);
}

TEST(split_shared, takes_the_share_apart) {
  EXPECT_EQ(split_shared("$share/g/a/b").share, "g");
  EXPECT_EQ(split_shared("$share/g/a/b").filter, "a/b");
  EXPECT_EQ(split_shared("a/b").share, "");
  EXPECT_EQ(split_shared("a/b").filter, "a/b");
  EXPECT_EQ(split_shared("$share/g//a").filter, "/a");
  EXPECT_TRUE(is_shared("$share/g/a"));
  EXPECT_FALSE(is_shared("$shared/g/a"));
}

TEST(has_wildcard, sees_both) {
  EXPECT_TRUE(has_wildcard("a/+"));
  EXPECT_TRUE(has_wildcard("#"));
  EXPECT_FALSE(has_wildcard("a/b"));
}

} // namespace
