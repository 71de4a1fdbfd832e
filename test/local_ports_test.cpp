#include <troupe/bench/load/local_ports.hpp>

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace {

using namespace troupe::bench;

TEST(local_ports, are_a_range_as_the_kernel_writes_it) {
  const auto range = parse_port_range("32768\t60999\n");
  ASSERT_TRUE(range);
  EXPECT_EQ(range->first, 32'768U);
  EXPECT_EQ(range->count(), 28'232U);
  for (const char* wrong : {"", "1", "x y", "9 8", "1 70000"}) EXPECT_FALSE(parse_port_range(wrong)) << wrong;
  EXPECT_TRUE(local_ports());
}

TEST(local_ports, are_enough_for_so_many_from_each_address) {
  const port_range ten{1, 10};
  EXPECT_EQ(misfit_of_local_ports(10, 1, ten), "");
  EXPECT_EQ(misfit_of_local_ports(20, 2, ten), "");
  EXPECT_EQ(misfit_of_local_ports(99, 1, std::nullopt), "");
  EXPECT_NE(misfit_of_local_ports(11, 1, ten).find("--ifaddr"), std::string::npos);
  EXPECT_NE(misfit_of_local_ports(21, 2, ten), "");
}

TEST(local_ports, belong_to_addresses) {
  EXPECT_EQ(parse_addresses("127.0.0.2"), std::vector<std::string>{"127.0.0.2"});
  EXPECT_EQ(parse_addresses("127.0.0.2,::1"), (std::vector<std::string>{"127.0.0.2", "::1"}));
  for (const char* wrong : {"", ",", "127.0.0.2,", "localhost", "127.0.0", "127.0.0.2 "})
    EXPECT_TRUE(parse_addresses(wrong).empty()) << wrong;
}

} // namespace
