#include <troupe/protocol/compiled_filter.hpp>
#include <troupe/protocol/topic.hpp>

#include <gtest/gtest.h>
#include <random>
#include <string>
#include <vector>

namespace {

using namespace troupe::protocol;

TEST(compiled_filter, matches_what_the_plain_matcher_matches) {
  std::mt19937 chance{11};
  const std::vector<std::string> pieces{"a",       "b", "/", "/", "+", "/+/", "#", "longer-level-name",
                                        "sensor/", "$"};
  const auto text = [&](std::size_t kinds) {
    std::string made;
    for (auto size = 1 + chance() % 7; size > 0; --size) made += pieces[chance() % kinds];
    return made;
  };
  int compared = 0;
  for (int i = 0; i < 300'000; ++i) {
    const std::string filter = text(pieces.size());
    std::string name;
    do name = text(pieces.size());
    while (has_wildcard(name));
    const auto compiled = compiled_filter::make(filter);
    ASSERT_EQ(compiled.has_value(), check_topic_filter(filter).has_value()) << filter;
    if (!compiled) continue;
    ASSERT_EQ(compiled->matches(name), matches(filter, name)) << filter << ' ' << name;
    if (filter == name) {
      ASSERT_TRUE(compiled->matches(name) || filter[0] == '$');
    }
    ++compared;
  }
  EXPECT_GT(compared, 30'000);
}

TEST(compiled_filter, takes_more_runs_than_fit_inline) {
  std::string filter = "a", name = "a";
  for (int i = 0; i < 40; ++i) {
    filter += "/+/x";
    name += "/" + std::to_string(i) + "/x";
    const auto compiled = compiled_filter::make(filter);
    ASSERT_TRUE(compiled);
    EXPECT_EQ(compiled->wildcards(), static_cast<std::size_t>(i + 1));
    EXPECT_TRUE(compiled->matches(name));
    EXPECT_FALSE(compiled->matches(name + "y"));
    const compiled_filter copy = *compiled;
    EXPECT_TRUE(copy.matches(name));
  }
}

TEST(compiled_filter, captures_levels_and_the_tail) {
  const auto filter = compiled_filter::make("plant/+/sensors/+/#");
  ASSERT_TRUE(filter);
  std::string_view captured[2];
  ASSERT_TRUE(filter->matches("plant/line1/sensors/temp/raw/1", captured));
  EXPECT_EQ(captured[0], "line1");
  EXPECT_EQ(captured[1], "temp");
  EXPECT_EQ(filter->tail("plant/line1/sensors/temp/raw/1", captured), "raw/1");
  ASSERT_TRUE(filter->matches("plant//sensors/", captured));
  EXPECT_EQ(captured[0], "");
  EXPECT_EQ(captured[1], "");
  EXPECT_EQ(filter->tail("plant//sensors/", captured), "");
  EXPECT_FALSE(filter->matches("plant/line1/actors/temp", captured));
  std::string_view one[1];
  EXPECT_TRUE(filter->matches("plant/a/sensors/b", one)) << "as many as fit";
  const auto all = compiled_filter::make("#");
  EXPECT_EQ(all->tail("a/b", {}), "a/b");
  EXPECT_EQ(compiled_filter::make("a/#")->tail("a/b/c", {}), "b/c");
}

TEST(compiled_filter, leaves_the_share_out) {
  const auto filter = compiled_filter::make("$share/g/a/+");
  ASSERT_TRUE(filter);
  EXPECT_EQ(filter->text(), "a/+");
  EXPECT_TRUE(filter->matches("a/b"));
}

TEST(compiled_filter, made_of_nothing_matches_nothing) {
  EXPECT_FALSE(compiled_filter{}.matches(""));
  EXPECT_FALSE(compiled_filter{}.matches("a"));
  EXPECT_EQ(compiled_filter::make("a#").error(), errc::invalid_topic_filter);
}

TEST(compiled_filter, answers_the_eight_pairs_of_the_workload) {
  const std::string longest = std::string(13, 'A') + std::string(65, 's') + std::string(85, 'h')
                              + std::string(62, 'k') + std::string(15, 'A') + std::string(90, 'B')
                              + std::string(81, 'C');
  const auto is_match = [](std::string_view topic, std::string_view filter) {
    const auto compiled = compiled_filter::make(filter);
    return compiled && compiled->matches(topic);
  };
  EXPECT_TRUE(is_match("sport/tennis/player1", "sport/#"));
  EXPECT_FALSE(compiled_filter::make("sport/#/ranking"));
  EXPECT_TRUE(is_match("sport/tennis/player1/score/wimbledon", "sport/+/player1/#"));
  EXPECT_TRUE(is_match("sport/tennis/player1", "sport/tennis/+"));
  EXPECT_TRUE(is_match("/finance", "+/+"));
  EXPECT_TRUE(is_match("/finance", "/+"));
  EXPECT_FALSE(is_match("/finance", "+"));
  EXPECT_TRUE(is_match(longest, longest));
  EXPECT_FALSE(is_match(longest.substr(1) + 'C', longest));
}

} // namespace
