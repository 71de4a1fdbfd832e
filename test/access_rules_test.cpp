#include <troupe/broker/access_rules.hpp>

#include <gtest/gtest.h>

namespace troupe::brokerage {
namespace {

using protocol::is_failure;

TEST(access_rules, cover_filters_level_by_level) {
  EXPECT_TRUE(covers("#", "a/b"));
  EXPECT_TRUE(covers("#", "#"));
  EXPECT_TRUE(covers("#", "+/x/#"));
  EXPECT_TRUE(covers("a/#", "a"));
  EXPECT_TRUE(covers("a/#", "a/#"));
  EXPECT_TRUE(covers("a/+", "a/b"));
  EXPECT_TRUE(covers("a/+", "a/+"));
  EXPECT_TRUE(covers("a/b", "a/b"));
  EXPECT_FALSE(covers("a/+", "a/#"));
  EXPECT_FALSE(covers("a/b", "a/+"));
  EXPECT_FALSE(covers("a", "a/b"));
  EXPECT_FALSE(covers("a/b", "a"));
  EXPECT_FALSE(covers("a/+", "a"));
  EXPECT_FALSE(covers("a/b/#", "a/#"));
  EXPECT_FALSE(covers("#", "$SYS/#"));
  EXPECT_TRUE(covers("$SYS/#", "$SYS/x"));
}

TEST(access_rules, let_the_first_that_fits_decide) {
  const access_rules rules{true,
                           {{.topic = "secret/#"},
                            {.topic = "news/#", .may_subscribe = true},
                            {.user = "editor", .topic = "news/#", .may_publish = true},
                            {.topic = "own/%c/%u/#", .may_publish = true, .may_subscribe = true}}};
  const identity anybody{.client_id = "c"};
  const identity editor{.client_id = "c", .user_name = "editor"};
  const identity sly{.client_id = "+", .user_name = "u"};
  EXPECT_TRUE(is_failure(rules.may_publish(editor, "secret/x")));
  EXPECT_FALSE(is_failure(rules.may_subscribe(anybody, "news/#")));
  EXPECT_TRUE(is_failure(rules.may_publish(anybody, "news/x")));
  EXPECT_FALSE(is_failure(rules.may_publish(editor, "news/x")));
  EXPECT_FALSE(is_failure(rules.may_subscribe(editor, "own/c/editor/#")));
  EXPECT_TRUE(is_failure(rules.may_subscribe(editor, "own/d/editor/#")));
  EXPECT_TRUE(is_failure(rules.may_publish(anybody, "own/c//x")));
  EXPECT_TRUE(is_failure(rules.may_subscribe(sly, "own/+/u/x")));
  EXPECT_TRUE(is_failure(rules.may_subscribe(anybody, "#")));
}

TEST(access_rules, may_ask_for_a_name) {
  const access_rules rules{false, {}};
  EXPECT_TRUE(is_failure(rules.may_connect({.client_id = "c"}, {})));
  EXPECT_FALSE(is_failure(rules.may_connect({.client_id = "c", .user_name = "u"}, {})));
  EXPECT_FALSE(is_failure(rules.may_publish({.client_id = "c"}, "anything")));
}

} // namespace
} // namespace troupe::brokerage
