// Changes as octets, and read again.
#include <troupe/runtime/change_set.hpp>

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace {

using namespace troupe;
using runtime::change;
using runtime::change_kind;
using runtime::change_set;

TEST(change_set, tells_what_was_written_whatever_its_length) {
  for (const std::size_t length : {0U, 1U, 65'534U, 65'535U, 65'536U, 200'000U}) {
    const std::string key(length, 'k');
    const std::string value(length, 'v');
    change_set all;
    all.add(key, value);
    all.put(key, {});
    all.erase(key);
    all.erase_prefix("p");
    std::vector<change_kind> kinds;
    EXPECT_TRUE(runtime::for_each_change(all.octets(), [&](const change& one) {
      kinds.push_back(one.kind);
      EXPECT_EQ(one.key, one.kind == change_kind::erase_prefix ? "p" : key);
      EXPECT_EQ(one.value, one.kind == change_kind::add ? value : "");
    }));
    EXPECT_EQ(kinds, (std::vector{change_kind::add, change_kind::put, change_kind::erase,
                                  change_kind::erase_prefix}));
  }
}

TEST(change_set, refuses_octets_that_are_cut_anywhere) {
  change_set all;
  all.put(std::string(70'000, 'k'), "v");
  const std::string_view whole = all.octets();
  for (std::size_t cut = 1; cut < whole.size(); cut += cut < 16 ? 1 : 977)
    EXPECT_FALSE(runtime::for_each_change(whole.substr(0, cut), [](const change&) {})) << cut;
}

TEST(change_set, parts_between_changes_when_there_is_enough) {
  change_set all;
  for (int each = 0; each < 5; ++each) all.put("key", std::string(10, 'v'));
  const std::size_t one = all.size() / 5;
  std::vector<std::size_t> sizes;
  std::string together;
  runtime::for_each_part(all.octets(), one + 1, [&](std::string_view part) {
    sizes.push_back(part.size() / one);
    together += part;
  });
  EXPECT_EQ(sizes, (std::vector<std::size_t>{2, 2, 1}));
  EXPECT_EQ(together, all.octets());
  runtime::for_each_part({}, 1, [](std::string_view) { ADD_FAILURE() << "of nothing there is no part"; });
}

} // namespace
