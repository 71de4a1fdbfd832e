#include <troupe/broker/retained.hpp>

#include "support/seeded.hpp"

#include <troupe/protocol/topic.hpp>

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

namespace troupe::brokerage {
namespace {

struct retained_test : testing::Test {
  message_ref say(std::string_view topic, std::string_view payload) {
    return store.keep({.topic = topic, .payload = protocol::as_octets(payload), .retain = true}, nullptr, {});
  }
  std::vector<std::string> found(const retained& words, std::string_view filter, std::size_t budget = 1'000) {
    std::vector<std::string> all;
    std::string last;
    bool is_begun = false;
    for (int round = 0; round < 1'000; ++round) {
      if (words.walk(filter, last, is_begun, budget, [&](const message_ref& one) {
            all.emplace_back(one->packet().topic);
            return true;
          }))
        break;
    }
    return all;
  }
  message_store store{};
};

using texts = std::vector<std::string>;

TEST_F(retained_test, finds_by_exact_and_wild_filters) {
  retained words{100, false};
  for (const char* topic : {"a", "a/b", "a/b/c", "ab", "a!", "$x/a", "z"})
    words.set(say(topic, "."), words.next_stamp(0));
  EXPECT_EQ(found(words, "a"), texts{"a"});
  EXPECT_EQ(found(words, "a/#"), (texts{"a", "a/b", "a/b/c"}));
  EXPECT_EQ(found(words, "a/+"), texts{"a/b"});
  EXPECT_EQ(found(words, "+"), (texts{"a", "a!", "ab", "z"}));
  EXPECT_EQ(found(words, "#"), (texts{"a", "a!", "a/b", "a/b/c", "ab", "z"}));
  EXPECT_EQ(found(words, "$x/#"), texts{"$x/a"});
  EXPECT_EQ(found(words, "none"), texts{});
}

// The mirror of the subscription index: one filter, which of many topics?
TEST_F(retained_test, agrees_with_brute_force_on_random_churn) {
  support::chance chance{11};
  const std::vector<std::string> levels{"", "a", "b", "ab", "$x", "a!", "long-level-of-a-topic"};
  const auto random_text = [&](bool wild) {
    std::string text;
    const std::uint32_t count = 1 + chance.below(4);
    for (std::uint32_t n = 0; n < count; ++n) {
      if (n != 0) text += '/';
      if (wild && n + 1 == count && chance.one_in(4)) return text + '#';
      text +=
          wild && chance.one_in(3) ? "+" : levels[chance.below(static_cast<std::uint32_t>(levels.size()))];
    }
    return text.empty() ? std::string{"a"} : text;
  };
  retained words{100'000, false};
  std::set<std::string> model;
  for (int step = 0; step < 4'000; ++step) {
    const std::string topic = random_text(false);
    const bool clears = chance.one_in(3);
    words.set(say(topic, clears ? "" : "."), words.next_stamp(0));
    if (clears)
      model.erase(topic);
    else
      model.insert(topic);
    const std::string filter = random_text(true);
    texts expected;
    for (const std::string& each : model)
      if (protocol::matches(filter, each)) expected.push_back(each);
    ASSERT_EQ(found(words, filter, 1 + chance.below(40)), expected) << filter;
    ASSERT_EQ(words.size(), model.size());
  }
}

TEST_F(retained_test, walks_in_portions_of_any_size) {
  retained words{10'000, false};
  for (int each = 0; each < 500; ++each)
    words.set(say("t/" + std::to_string(each), "."), words.next_stamp(0));
  for (const std::size_t budget : {1U, 3U, 499U, 500U, 501U})
    EXPECT_EQ(found(words, "t/#", budget).size(), 500U);
}

TEST_F(retained_test, comes_again_to_what_was_not_taken) {
  retained words{100, false};
  for (const char* topic : {"a", "b", "c"}) words.set(say(topic, "."), words.next_stamp(0));
  std::string last;
  bool is_begun = false;
  texts taken;
  bool takes = false;
  for (int round = 0; round < 10; ++round) {
    takes = !takes;
    if (words.walk("#", last, is_begun, 100, [&](const message_ref& one) {
          if (takes) taken.emplace_back(one->packet().topic);
          return std::exchange(takes, false);
        }))
      break;
  }
  EXPECT_EQ(taken, (texts{"a", "b", "c"}));
}

TEST_F(retained_test, ends_up_the_same_in_whatever_order_words_arrive) {
  const std::vector<std::pair<std::string, stamp>> said{
      {"1", {5, 0}}, {"2", {5, 1}}, {"", {6, 0}}, {"3", {6, 2}}};
  std::vector<std::size_t> order{0, 1, 2, 3};
  do {
    retained words{10, true};
    for (const std::size_t each : order) words.set(say("t", said[each].first), said[each].second);
    std::string last;
    bool is_begun = false;
    std::string payload;
    words.walk("t", last, is_begun, 10, [&](const message_ref& one) {
      payload = protocol::as_text(one->packet().payload);
      return true;
    });
    EXPECT_EQ(payload, "3");
    EXPECT_EQ(words.size(), 1U);
  } while (std::next_permutation(order.begin(), order.end()));
}

TEST_F(retained_test, remembers_that_a_topic_was_cleared_for_a_while) {
  retained words{10, true};
  words.set(say("t", ""), {9, 1});
  words.set(say("t", "late"), {8, 0});
  EXPECT_EQ(words.size(), 0U);
  words.forget_cleared();
  words.forget_cleared();
  words.set(say("t", "late"), {8, 0});
  EXPECT_EQ(words.size(), 1U);
}

TEST_F(retained_test, refuses_new_topics_when_it_is_full) {
  retained words{2, false};
  EXPECT_TRUE(words.set(say("a", "."), words.next_stamp(0)));
  EXPECT_TRUE(words.set(say("b", "."), words.next_stamp(0)));
  EXPECT_FALSE(words.set(say("c", "."), words.next_stamp(0)));
  EXPECT_TRUE(words.set(say("a", "new"), words.next_stamp(0)));
  EXPECT_TRUE(words.set(say("a", ""), words.next_stamp(0)));
  EXPECT_TRUE(words.set(say("c", "."), words.next_stamp(0)));
  EXPECT_EQ(words.size(), 2U);
}

TEST_F(retained_test, keeps_bounded_memory_when_unknown_topics_are_cleared) {
  retained words{2, true};
  for (int each = 0; each < 200'000; ++each)
    words.set(say("t/" + std::to_string(each), ""), words.next_stamp(0));
  EXPECT_LE(found(words, "#", 1'000'000).size(), 0U);
}

} // namespace
} // namespace troupe::brokerage
