#include <troupe/config/problem.hpp>

#include <gtest/gtest.h>

using troupe::config::problem;

TEST(problem, reads_like_a_compilers_message) {
  EXPECT_EQ(to_string(problem{"broker.toml", 12, "port", "wants a number"}),
            "broker.toml:12: port: wants a number");
  EXPECT_EQ(to_string(problem{"environment", 0, "X_PORT", "unknown"}), "environment: X_PORT: unknown");
  EXPECT_EQ(to_string(problem{"", 0, "", "nothing fits"}), "nothing fits");
}
