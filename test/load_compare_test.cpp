#include <troupe/bench/load/case_compare.hpp>
#include <troupe/bench/load/load_compare.hpp>

#include <gtest/gtest.h>

#include <algorithm>

namespace {

using namespace troupe::bench;

load_result with_rate(double rate) {
  load_result result;
  result.plan = {{"qos", "1"}, {"broker", "x"}};
  result.counts.received = 100;
  for (int i = 0; i < 10; ++i) result.series.push_back({i + 1.0, 0, 0, rate + i, 100.0, 200.0});
  return result;
}

verdict_word verdict_on(const std::string& name, const std::vector<compared_figure>& figures) {
  const auto place = std::find_if(figures.begin(), figures.end(),
                                  [&](const compared_figure& each) { return each.name == name; });
  return place == figures.end() ? verdict_word::shown : place->verdict;
}

TEST(load_compare, finds_a_load_the_same_as_itself) {
  for (const compared_figure& each : compare_loads(with_rate(1'000), with_rate(1'000), {}))
    EXPECT_EQ(each.verdict, verdict_word::same) << each.name;
}

TEST(load_compare, knows_which_way_is_a_loss) {
  EXPECT_EQ(verdict_on("recv.rate", compare_loads(with_rate(1'000), with_rate(800), {})),
            verdict_word::worse);
  EXPECT_EQ(verdict_on("recv.rate", compare_loads(with_rate(800), with_rate(1'000), {})),
            verdict_word::better);
  EXPECT_EQ(compare_values("p99", "ns", {1, 1, 1, 1, 1, 1}, {2, 2, 2, 2, 2, 2}, false, {}).verdict,
            verdict_word::worse);
}

TEST(load_compare, calls_a_difference_noisy_that_the_test_does_not_see) {
  EXPECT_EQ(compare_values("x", "1/s", {100, 50}, {80, 40}, true, {}).verdict, verdict_word::noisy);
}

TEST(load_compare, tests_over_repeats_when_the_test_could_see_something) {
  const auto repeats = [](std::size_t count, double rate) {
    std::vector<load_result> runs;
    for (std::size_t i = 0; i != count; ++i) {
      runs.push_back(with_rate(rate));
      runs.back().received_rate = rate + static_cast<double>(i);
    }
    return runs;
  };
  const auto judged = [&](std::size_t count) {
    return compare_load_series(repeats(count, 1'000), repeats(count, 500), {});
  };
  EXPECT_EQ(verdict_on("recv.rate", judged(6)), verdict_word::worse);
  EXPECT_LT(judged(6).front().base, 1'004); // the median of the repeats, not of their slices
  // Of four and five against as many, p is above 0.01 whatever they say: their slices are tested.
  for (const std::size_t few : {1U, 4U, 5U}) {
    EXPECT_EQ(verdict_on("recv.rate", judged(few)), verdict_word::worse) << few;
    EXPECT_EQ(judged(few).front().base, 1'004.5) << few;
  }
}

TEST(load_compare, takes_a_fault_that_was_not_there_before_for_a_loss) {
  load_result fresh = with_rate(1'000);
  fresh.counts.lost = 1;
  EXPECT_EQ(verdict_on("lost", compare_loads(with_rate(1'000), fresh, {})), verdict_word::worse);
}

TEST(load_compare, names_choices_that_differ_but_for_the_broker) {
  load_result fresh = with_rate(1'000);
  fresh.plan = {{"qos", "2"}, {"broker", "y"}};
  EXPECT_EQ(misfits_of(with_rate(1'000), fresh).size(), 1U);
}

TEST(load_compare, compares_rows_of_e2e_by_their_spread) {
  const std::string base =
      R"({"cases":[{"id":"W40","iterations":20,"launches":1,"ns_per_message":100,"stddev":1}]})";
  const std::string slow =
      R"({"cases":[{"id":"W40","iterations":20,"launches":1,"ns_per_message":120,"stddev":1}]})";
  EXPECT_EQ(compare_cases(base, base, {})->front().verdict, verdict_word::same);
  EXPECT_EQ(compare_cases(base, slow, {})->front().verdict, verdict_word::worse);
  EXPECT_EQ(compare_cases(slow, base, {})->front().verdict, verdict_word::better);
  EXPECT_FALSE(compare_cases("{}", base, {}));
}

} // namespace
