#include "support/sample.hpp"

#include <troupe/config/bench_settings.hpp>

#include <gtest/gtest.h>

using namespace troupe::config;

TEST(bench_settings, the_sample_shows_the_defaults) {
  support::expect_sample_shows_the_defaults<bench_settings>(TROUPE_SOURCE_DIR "/config/bench.toml");
}

TEST(bench_settings, lists_are_judged_value_by_value) {
  bench_settings settings{.qos = {"0", "3"}, .payload = {"1KiB", "big"}, .broker = "somewhere"};
  EXPECT_EQ(settings.check().size(), 3U) << support::all_of(settings.check());
  EXPECT_TRUE(bench_settings{}.check().empty());
}
