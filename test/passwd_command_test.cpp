#include <troupe/broker/passwd_command.hpp>
#include <troupe/broker/password_file.hpp>

#include "support/scratch_folder.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

namespace troupe::brokerage {
namespace {

struct passwd_command_test : testing::Test {
  test::scratch_folder folder{};
  std::string path = folder.file("users");
  std::ostringstream errors{};

  int run(const std::vector<std::string>& arguments, const std::string& typed) {
    std::istringstream input{typed};
    return passwd_command(arguments, input, errors, -1);
  }
};

TEST_F(passwd_command_test, makes_replaces_and_removes_entries) {
  EXPECT_EQ(run({path, "ann"}, "secret\nnot this\n"), 0) << errors.str();
  EXPECT_EQ(run({path, "bob"}, "with no end of line"), 0);
  EXPECT_EQ(run({path, "ann"}, "other\r\n"), 0);
  const auto read = read_passwords(path);
  ASSERT_TRUE(read.problems.empty());
  EXPECT_TRUE(read.table.at("ann").fits(protocol::as_octets("other")));
  EXPECT_TRUE(read.table.at("bob").fits(protocol::as_octets("with no end of line")));
  EXPECT_EQ(read.table.at("ann").cost(), scrypt_cost{});
  EXPECT_EQ(run({"--delete", path, "ann"}, ""), 0);
  EXPECT_EQ(read_passwords(path).table.size(), 1U);
  EXPECT_EQ(run({"--delete", path, "ann"}, ""), 1);
}

TEST_F(passwd_command_test, refuses_what_makes_no_entry) {
  EXPECT_EQ(run({path}, "x\n"), 2);
  EXPECT_NE(errors.str().find("usage: "), std::string::npos);
  EXPECT_EQ(run({path, "ann", "secret"}, "x\n"), 2); // no password on a command line
  EXPECT_EQ(run({path, "--help"}, "x\n"), 2);
  EXPECT_EQ(run({path, "a:b"}, "x\n"), 2);
  EXPECT_EQ(run({path, "ann"}, "\n"), 1);
  EXPECT_EQ(run({path, "ann"}, ""), 1);
  EXPECT_EQ(run({path + "/no/folder", "ann"}, "x\n"), 1);
  EXPECT_FALSE(std::filesystem::exists(path));
}

} // namespace
} // namespace troupe::brokerage
