#include <troupe/protocol/topic_index.hpp>

#include <troupe/protocol/topic.hpp>

#include "support/seeded.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

using namespace troupe::protocol;

namespace {

using index_type = topic_index<std::uint32_t, std::uint32_t>;
using hits = std::vector<std::pair<std::uint32_t, std::uint32_t>>;

hits look_up(index_type& index, std::string_view name) {
  hits found;
  index.match(name, [&](const index_type::entry& each) { found.emplace_back(each.who, each.value); });
  std::sort(found.begin(), found.end());
  return found;
}

void add(index_type& index, std::string_view filter, std::uint32_t who, std::uint32_t value = 0) {
  EXPECT_TRUE(index.insert(filter, who, value)) << filter;
}

TEST(topic_index, finds_exact_and_wildcard_filters_once_each) {
  index_type index{1};
  add(index, "a/b", 1);
  add(index, "a/+", 2);
  add(index, "a/#", 3);
  add(index, "#", 4);
  add(index, "+/b", 5);
  add(index, "a/c", 6);
  add(index, "a/b/c", 7);
  for (int i = 0; i < 4; ++i) // cold, counted, remembered
    EXPECT_EQ(look_up(index, "a/b"), (hits{{1, 0}, {2, 0}, {3, 0}, {4, 0}, {5, 0}}));
  EXPECT_EQ(index.size(), 7U);
}

TEST(topic_index, a_pair_is_there_once_and_its_value_is_replaced) {
  index_type index{1};
  for (const char* filter : {"a", "+"}) {
    EXPECT_TRUE(*index.insert(filter, 1, 10));
    EXPECT_FALSE(*index.insert(filter, 1, 20));
  }
  EXPECT_EQ(look_up(index, "a"), (hits{{1, 20}, {1, 20}}));
  EXPECT_TRUE(index.erase("a", 1));
  EXPECT_FALSE(index.erase("a", 1));
  EXPECT_TRUE(index.erase("+", 1));
  EXPECT_FALSE(index.erase("+", 1));
  EXPECT_FALSE(index.erase("b/#", 1));
  EXPECT_TRUE(look_up(index, "a").empty());
  EXPECT_EQ(index.size(), 0U);
}

TEST(topic_index, parent_level_matches_multi_level_wildcard_MQTT_4_7_1_2) {
  index_type index{1};
  add(index, "sport/tennis/#", 1);
  EXPECT_EQ(look_up(index, "sport/tennis"), (hits{{1, 0}}));
  EXPECT_EQ(look_up(index, "sport/tennis/"), (hits{{1, 0}}));
  EXPECT_EQ(look_up(index, "sport/tennis/a/b"), (hits{{1, 0}}));
  EXPECT_TRUE(look_up(index, "sport").empty());
  EXPECT_TRUE(look_up(index, "sport/tennisx").empty());
}

TEST(topic_index, empty_levels_are_levels) {
  index_type index{1};
  add(index, "+/+", 1);
  add(index, "/+", 2);
  add(index, "+", 3);
  add(index, "//#", 4);
  EXPECT_EQ(look_up(index, "/finance"), (hits{{1, 0}, {2, 0}}));
  EXPECT_EQ(look_up(index, "/"), (hits{{1, 0}, {2, 0}, {4, 0}}));
  EXPECT_EQ(look_up(index, "//"), (hits{{4, 0}}));
  EXPECT_EQ(look_up(index, "///x"), (hits{{4, 0}}));
}

TEST(topic_index, wildcards_do_not_reach_into_dollar_topics_MQTT_4_7_2_1) {
  index_type index{1};
  add(index, "#", 1);
  add(index, "+/x", 2);
  add(index, "$SYS/#", 3);
  add(index, "$SYS/+", 4);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(look_up(index, "$SYS/x"), (hits{{3, 0}, {4, 0}}));
}

TEST(topic_index, changes_of_wildcards_are_seen_by_remembered_topics) {
  index_type index{1};
  add(index, "a/b", 1);
  add(index, "z/#", 9);
  EXPECT_EQ(look_up(index, "a/b"), (hits{{1, 0}}));
  add(index, "a/#", 2);
  EXPECT_EQ(look_up(index, "a/b"), (hits{{1, 0}, {2, 0}}));
  add(index, "a/#", 3); // same filter, another subscriber
  EXPECT_EQ(look_up(index, "a/b"), (hits{{1, 0}, {2, 0}, {3, 0}}));
  add(index, "+/b", 4);
  EXPECT_EQ(look_up(index, "a/b"), (hits{{1, 0}, {2, 0}, {3, 0}, {4, 0}}));
  index.erase("a/#", 2);
  index.erase("a/#", 3);
  EXPECT_EQ(look_up(index, "a/b"), (hits{{1, 0}, {4, 0}}));
  add(index, "a/+", 5); // may take the place of a/#
  EXPECT_EQ(look_up(index, "a/b"), (hits{{1, 0}, {4, 0}, {5, 0}}));
}

TEST(topic_index, refuses_filters_made_to_be_slow) {
  index_type index{1};
  std::string deep = "+";
  for (std::size_t i = 1; i <= wildcard_trie::most_levels; ++i) deep += "/a";
  EXPECT_EQ(index.insert(deep, 1, 0).error(), errc::filter_too_complex);
  std::string wide = "+";
  for (std::size_t i = 1; i <= wildcard_trie::most_wildcards; ++i) wide += "/+";
  EXPECT_EQ(index.insert(wide, 1, 0).error(), errc::filter_too_complex);
  EXPECT_EQ(index.size(), 0U);
  EXPECT_EQ(index.wildcard_filters(), 0U);
  EXPECT_TRUE(index.insert(deep.substr(0, deep.size() - 2), 1, 0));
  EXPECT_EQ(look_up(index, "x" + deep.substr(1, deep.size() - 3)), (hits{{1, 0}}));
}

TEST(topic_index, deep_topics_are_no_trouble) {
  index_type index{1};
  add(index, "#", 1);
  add(index, "+/+/#", 2);
  const std::string deep(65'535, '/');
  for (int i = 0; i < 3; ++i) EXPECT_EQ(look_up(index, deep), (hits{{1, 0}, {2, 0}}));
  add(index, deep, 3); // exact filters have no cap
  EXPECT_EQ(look_up(index, deep), (hits{{1, 0}, {2, 0}, {3, 0}}));
}

// Every combination of `+` and a text along one path, and a last level that is not there.
TEST(topic_index, a_lattice_ends_at_the_step_budget_and_is_counted) {
  index_type index{1};
  for (std::uint32_t n = 0; n < 1U << 16U; ++n) {
    std::string filter;
    for (std::uint32_t bit = 0; bit < 16; ++bit) filter += (n >> bit & 1U) != 0 ? "+/" : "a/";
    add(index, filter + "end", n);
  }
  std::string topic;
  for (int i = 0; i < 16; ++i) topic += "a/";
  EXPECT_TRUE(look_up(index, topic + "other").empty());
  EXPECT_EQ(index.exhausted(), 1U);
}

TEST(topic_index, remembers_a_bounded_number_of_topics_that_come_again) {
  index_type index{1};
  add(index, "a/#", 1);
  for (int i = 0; i < 100'000; ++i) look_up(index, "a/once/" + std::to_string(i));
  const std::size_t by_chance = index.remembered();
  EXPECT_LT(by_chance, 10U); // tags that happened to be equal
  const auto several_times = [&](int i) {
    const std::string name = "a/" + std::to_string(i);
    for (int n = 0; n < 12; ++n) EXPECT_EQ(look_up(index, name), (hits{{1, 0}}));
  };
  for (int i = 0; i < 30'000; ++i) {
    several_times(i);
    if (i % 100 == 0) look_up(index, "a/0"); // stays in use
  }
  EXPECT_EQ(index.remembered(), 16'384U);
  add(index, "a/29999", 7); // a remembered topic becomes a subscribed one, and goes with its subscriber
  EXPECT_EQ(index.remembered(), 16'383U);
  EXPECT_EQ(look_up(index, "a/29999"), (hits{{1, 0}, {7, 0}}));
  EXPECT_TRUE(index.erase("a/29999", 7));
  EXPECT_EQ(look_up(index, "a/29999"), (hits{{1, 0}}));
}

TEST(topic_index, remembers_nearly_all_topics_that_come_by_turns) {
  index_type index{1};
  add(index, "a/#", 1);
  for (int round = 0; round < 24; ++round)
    for (int i = 0; i < 10'000; ++i) EXPECT_EQ(look_up(index, "a/" + std::to_string(i)), (hits{{1, 0}}));
  EXPECT_GT(index.remembered(), 9'900U);
}

TEST(topic_index, long_lists_are_as_right_as_short_ones) {
  for (const char* filter : {"a", "+"}) {
    index_type index{1};
    std::set<std::uint32_t> model;
    support::chance chance{7};
    for (int step = 0; step < 40'000; ++step) {
      const bool grows = step < 10'000 || (step > 20'000 && step < 25'000);
      const std::uint32_t who = chance.below(3'000);
      if (grows || chance.below(4) == 0)
        EXPECT_EQ(*index.insert(filter, who, 0), model.insert(who).second);
      else
        EXPECT_EQ(index.erase(filter, who), model.erase(who) == 1);
    }
    hits expected;
    for (const std::uint32_t who : model) expected.emplace_back(who, 0);
    EXPECT_EQ(look_up(index, "a"), expected);
    for (const std::uint32_t who : model) EXPECT_TRUE(index.erase(filter, who));
    EXPECT_TRUE(look_up(index, "a").empty());
  }
}

// -- against brute force ---------------------------------------------------------------------

class brute_force {
public:
  bool insert(const std::string& filter, std::uint32_t who, std::uint32_t value) {
    return pairs_.insert_or_assign({filter, who}, value).second;
  }
  bool erase(const std::string& filter, std::uint32_t who) { return pairs_.erase({filter, who}) == 1; }
  hits match(std::string_view name) const {
    hits found;
    for (const auto& [pair, value] : pairs_) {
      if (matches(pair.first, name)) found.emplace_back(pair.second, value);
    }
    std::sort(found.begin(), found.end());
    return found;
  }
  std::size_t size() const { return pairs_.size(); }

private:
  std::map<std::pair<std::string, std::uint32_t>, std::uint32_t> pairs_;
};

std::string random_level(support::chance& chance) {
  static const std::vector<std::string> texts{"", "a", "b", "c", "$x", "a-level-longer-than-sixteen-octets"};
  return texts[chance.below(static_cast<std::uint32_t>(texts.size()))];
}

std::string random_name(support::chance& chance) {
  for (;;) {
    std::string name;
    const unsigned levels = 1 + chance.below(5);
    for (unsigned i = 0; i < levels; ++i) name += (i == 0 ? "" : "/") + random_level(chance);
    if (!name.empty()) return name;
  }
}

std::string random_filter(support::chance& chance) {
  std::string filter;
  const unsigned levels = 1 + chance.below(5);
  for (unsigned i = 0; i < levels; ++i) {
    filter += i == 0 ? "" : "/";
    const unsigned kind = chance.below(6);
    if (kind == 0 && i + 1 == levels)
      filter += '#';
    else if (kind <= 1)
      filter += '+';
    else
      filter += random_level(chance);
  }
  return filter.empty() ? "a" : filter;
}

TEST(topic_index, agrees_with_brute_force_under_random_churn) {
  for (std::uint32_t seed = 1; seed <= 20; ++seed) {
    support::chance chance{seed};
    index_type index{seed};
    brute_force model;
    for (int step = 0; step < 3'000; ++step) {
      const std::uint32_t who = chance.below(5);
      const bool shrinks = (step / 500) % 2 == 1;
      if (chance.below(4) == 0) {
        const std::string filter = random_filter(chance);
        ASSERT_TRUE(check_topic_filter(filter)) << filter;
        if (chance.below(3) < (shrinks ? 2U : 1U)) {
          ASSERT_EQ(index.erase(filter, who), model.erase(filter, who)) << filter;
        } else {
          const std::uint32_t value = chance.below(1000);
          ASSERT_EQ(*index.insert(filter, who, value), model.insert(filter, who, value)) << filter;
        }
        ASSERT_EQ(index.size(), model.size());
      }
      const std::string name = random_name(chance);
      ASSERT_EQ(look_up(index, name), model.match(name)) << name << " at step " << step << " of " << seed;
    }
    EXPECT_EQ(index.exhausted(), 0U);
  }
}

} // namespace
