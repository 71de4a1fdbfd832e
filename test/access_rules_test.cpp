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

TEST(access_rules, see_where_filters_overlap) {
  EXPECT_TRUE(overlaps("secret/#", "#"));
  EXPECT_TRUE(overlaps("secret/#", "+/x"));
  EXPECT_TRUE(overlaps("secret/#", "secret"));
  EXPECT_TRUE(overlaps("secret", "secret/#"));
  EXPECT_TRUE(overlaps("a/+/c", "+/b/+"));
  EXPECT_TRUE(overlaps("a/b", "a/b"));
  EXPECT_TRUE(overlaps("$SYS/#", "$SYS/x"));
  EXPECT_FALSE(overlaps("a/+/c", "+/b/d"));
  EXPECT_FALSE(overlaps("a/b", "a"));
  EXPECT_FALSE(overlaps("a", "a/+"));
  EXPECT_FALSE(overlaps("a/b/#", "a"));
  EXPECT_FALSE(overlaps("#", "$SYS/x"));
  EXPECT_FALSE(overlaps("$SYS/#", "#"));
}

TEST(access_rules, forbid_what_a_wider_filter_would_get) {
  const access_rules rules{true,
                           {{.topic = "secret/#", .may_subscribe = true, .forbids = true},
                            {.topic = "own/%c/#", .may_publish = true, .forbids = true},
                            {.topic = "#", .may_publish = true, .may_subscribe = true}}};
  const identity anybody{.client_id = "c"};
  EXPECT_TRUE(is_failure(rules.may_subscribe(anybody, "#")));
  EXPECT_TRUE(is_failure(rules.may_subscribe(anybody, "+/x")));
  EXPECT_TRUE(is_failure(rules.may_subscribe(anybody, "secret")));
  EXPECT_FALSE(is_failure(rules.may_subscribe(anybody, "open/#")));
  EXPECT_FALSE(is_failure(rules.may_publish(anybody, "secret/x"))); // of publishing it says nothing
  EXPECT_TRUE(is_failure(rules.may_publish(anybody, "own/c/x")));
  EXPECT_FALSE(is_failure(rules.may_publish(anybody, "own/d/x")));
  EXPECT_TRUE(
      is_failure(rules.may_publish({.client_id = "a/b"}, "own/d/x"))); // a name that could be any level
}

TEST(access_rules, have_a_default_for_what_none_fits) {
  const std::vector<access_rule> secret{{.topic = "secret"}};
  const access_rules open{true, secret, true};
  const access_rules closed{true, secret};
  const identity anybody{.client_id = "c"};
  EXPECT_TRUE(is_failure(open.may_publish(anybody, "secret")));
  EXPECT_FALSE(is_failure(open.may_publish(anybody, "x")));
  EXPECT_TRUE(is_failure(closed.may_publish(anybody, "x")));
  EXPECT_FALSE(is_failure(access_rules(true, {}).may_publish(anybody, "x")));
}

TEST(access_rules, fill_in_names_within_a_level) {
  const access_rules rules{true, {{.topic = "dev-%c/%u-x/100%", .may_publish = true}}};
  const identity ann{.client_id = "7", .user_name = "ann"};
  EXPECT_FALSE(is_failure(rules.may_publish(ann, "dev-7/ann-x/100%")));
  EXPECT_TRUE(is_failure(rules.may_publish(ann, "dev-7/ann/100%")));
  EXPECT_TRUE(is_failure(rules.may_publish(ann, "dev-77/ann-x/100%")));
  EXPECT_TRUE(is_failure(rules.may_publish(ann, "dev-/ann-x/100%")));
  EXPECT_TRUE(is_failure(rules.may_publish({.client_id = "", .user_name = "ann"}, "dev-/ann-x/100%")));
}

TEST(access_rules, may_ask_for_a_name) {
  const access_rules rules{false, {}};
  EXPECT_TRUE(is_failure(rules.may_connect({.client_id = "c"}, {})));
  EXPECT_FALSE(is_failure(rules.may_connect({.client_id = "c", .user_name = "u"}, {})));
  EXPECT_FALSE(is_failure(rules.may_publish({.client_id = "c"}, "anything")));
}

} // namespace
} // namespace troupe::brokerage
