// What is left of many changes to few keys.
#include <troupe/runtime/change_summary.hpp>

#include <gtest/gtest.h>

#include <map>
#include <string>

namespace {

using namespace troupe;
using runtime::behind;
using runtime::change_set;
using runtime::change_summary;

/// "-" stands for an erased key.
std::map<std::string, std::string> words(const change_set& changes) {
  change_summary all;
  EXPECT_TRUE(all.take(changes.octets()));
  std::map<std::string, std::string> left;
  all.for_each([&](std::string_view key, const runtime::last_word& word) {
    left.emplace(key, word.is_erased ? "-" : word.value);
  });
  return left;
}
using left = std::map<std::string, std::string>;

TEST(change_summary, hears_each_key_once) {
  change_set changes;
  changes.put("a", "1");
  changes.put("b", "1");
  changes.put("a", "2");
  changes.erase("b");
  changes.put("c", "1");
  changes.erase("c");
  changes.put("c", "2");
  EXPECT_EQ(words(changes), (left{{"a", "2"}, {"b", "-"}, {"c", "2"}}));
}

TEST(change_summary, leaves_nothing_of_what_was_added_and_erased) {
  change_set changes;
  changes.add("a", "1");
  changes.put("a", "2");
  changes.erase("a");
  changes.add("b", "1");
  EXPECT_EQ(words(changes), (left{{"b", "1"}}));
}

TEST(change_summary, leaves_nothing_below_an_erased_prefix) {
  change_set changes;
  changes.put("session1", "x");
  changes.add("session2", "x");
  changes.erase_prefix("session1");
  EXPECT_EQ(words(changes), (left{{"session2", "x"}}));
}

TEST(change_summary, takes_no_octets_that_are_no_changes) {
  change_summary all;
  EXPECT_FALSE(all.take("xyz"));
}

TEST(change_summary, ends_a_prefix_where_no_key_begins_with_it) {
  EXPECT_EQ(behind("ab"), "ac");
  EXPECT_EQ(behind("a\xFF\xFF"), "b");
  EXPECT_EQ(behind("\xFF"), "");
  EXPECT_EQ(behind(""), "");
}

} // namespace
