#include <troupe/protocol/topic_template.hpp>

#include <gtest/gtest.h>

namespace {

using namespace troupe::protocol;

TEST(topic_template, captures_levels_by_name) {
  const auto route = topic_template::make("plant/{line}/sensors/{kind}");
  ASSERT_TRUE(route);
  EXPECT_EQ(route->filter(), "plant/+/sensors/+");
  ASSERT_EQ(route->captures(), 2U);
  std::string_view values[2];
  ASSERT_TRUE(route->match("plant/line1/sensors/temp", values));
  EXPECT_EQ(values[route->position("line")], "line1");
  EXPECT_EQ(values[route->position("kind")], "temp");
  EXPECT_EQ(route->name(1), "kind");
  EXPECT_EQ(route->position("other"), 2U);
  EXPECT_FALSE(route->match("plant/line1/actors/temp", values));
  EXPECT_FALSE(route->match("plant/line1/sensors/temp/raw", values));
}

TEST(topic_template, the_catch_all_takes_the_rest_or_nothing) {
  const auto route = topic_template::make("files/{user}/{*path}");
  ASSERT_TRUE(route);
  EXPECT_EQ(route->filter(), "files/+/#");
  std::string_view values[2];
  ASSERT_TRUE(route->match("files/ann/a/b/c", values));
  EXPECT_EQ(values[0], "ann");
  EXPECT_EQ(values[1], "a/b/c");
  ASSERT_TRUE(route->match("files/ann", values));
  EXPECT_EQ(values[1], "");
  const auto all = topic_template::make("{*all}");
  ASSERT_TRUE(all);
  ASSERT_TRUE(all->match("a/b", values));
  EXPECT_EQ(values[0], "a/b");
  EXPECT_FALSE(all->match("$SYS/a", values));
}

TEST(topic_template, F096_types_constrain_the_levels) {
  const struct {
    const char* type;
    const char* right;
    const char* wrong;
  } cases[] = {{"int", "-12", "12x"},
               {"int", "2147483647", "2147483648"},
               {"long", "9223372036854775807", "9223372036854775808"},
               {"bool", "true", "1"},
               {"guid", "01234567-89ab-CDEF-0123-456789abcdef", "01234567-89ab-CDEF-0123-456789abcdeg"}};
  for (const auto& [type, right, wrong] : cases) {
    const auto route = topic_template::make("a/{v:" + std::string{type} + "}/z");
    ASSERT_TRUE(route) << type;
    std::string_view values[1];
    EXPECT_TRUE(route->match("a/" + std::string{right} + "/z", values)) << right;
    EXPECT_FALSE(route->match("a/" + std::string{wrong} + "/z", values)) << wrong;
    EXPECT_FALSE(route->match("a//z", values));
  }
}

TEST(topic_template, refuses_what_makes_no_template) {
  for (const char* wrong : {"a/{", "a/}", "a/{}", "a/x{b}", "a/{b}x", "a/{b:float}", "a/{b}/{b}", "a/{*b}/c",
                            "a/+/{b}", "a/#", "a/{b c}", "{*b:int}"})
    EXPECT_EQ(topic_template::make(wrong).error(), errc::invalid_argument) << wrong;
  EXPECT_EQ(topic_template::make("").error(), errc::invalid_topic_filter);
  EXPECT_EQ(topic_template::make("\xFF/{b}").error(), errc::invalid_topic_filter);
}

} // namespace
