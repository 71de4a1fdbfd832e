#include <troupe/broker/password_file.hpp>

#include "support/scratch_folder.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include <sys/stat.h>
#include <unistd.h>

namespace troupe::brokerage {
namespace {

namespace fs = std::filesystem;

password_hash hash_of(std::string_view password) {
  return *password_hash::make(protocol::as_octets(password), {.log_n = 4, .r = 1, .p = 1});
}

struct password_file : testing::Test {
  test::scratch_folder folder{};
  std::string path = folder.file("users");

  std::string text() const {
    std::ifstream file{path};
    return {std::istreambuf_iterator<char>{file}, {}};
  }
  static bool knows(const password_table& table, const std::string& user, std::string_view password) {
    const auto entry = table.find(user);
    return entry != table.end() && entry->second.fits(protocol::as_octets(password));
  }
};

TEST_F(password_file, keeps_what_is_set) {
  EXPECT_FALSE(set_password(path, "ann", hash_of("a")));
  EXPECT_FALSE(set_password(path, "bob", hash_of("b")));
  EXPECT_FALSE(set_password(path, "ann", hash_of("c")));
  const password_reading read = read_passwords(path);
  EXPECT_TRUE(read.problems.empty());
  EXPECT_EQ(read.table.size(), 2U);
  EXPECT_TRUE(knows(read.table, "ann", "c"));
  EXPECT_FALSE(knows(read.table, "ann", "a"));
  EXPECT_TRUE(knows(read.table, "bob", "b"));
}

TEST_F(password_file, is_for_its_owner_alone_and_replaced_as_a_whole) {
  ASSERT_FALSE(set_password(path, "ann", hash_of("a")));
  struct stat first {};
  ASSERT_EQ(::stat(path.c_str(), &first), 0);
  EXPECT_EQ(first.st_mode & 0777U, 0600U);
  std::ifstream reader{path}; // sees the old file to its end
  ASSERT_FALSE(set_password(path, "bob", hash_of("b")));
  const std::string old{std::istreambuf_iterator<char>{reader}, {}};
  EXPECT_EQ(old.find("bob"), std::string::npos);
  EXPECT_NE(text().find("bob"), std::string::npos);
  EXPECT_EQ(std::distance(fs::directory_iterator{folder.path()}, {}), 1); // nothing is left behind
}

TEST_F(password_file, keeps_comments_and_follows_links) {
  std::ofstream{path} << "# who may come\n\nann:" << hash_of("a").text() << "\n# the end";
  const std::string link = folder.file("link");
  fs::create_symlink(path, link);
  ASSERT_FALSE(set_password(link, "ann", hash_of("z")));
  EXPECT_TRUE(fs::is_symlink(link));
  EXPECT_TRUE(text().starts_with("# who may come\n\nann:"));
  EXPECT_TRUE(text().ends_with("\n# the end\n"));
  EXPECT_TRUE(knows(read_passwords(path).table, "ann", "z"));
}

TEST_F(password_file, forgets_who_is_removed) {
  ASSERT_FALSE(set_password(path, "ann", hash_of("a")));
  ASSERT_FALSE(set_password(path, "bob", hash_of("b")));
  EXPECT_FALSE(remove_password(path, "ann"));
  EXPECT_EQ(read_passwords(path).table.size(), 1U);
  EXPECT_EQ(remove_password(path, "ann"), std::errc::invalid_argument);
  EXPECT_EQ(remove_password(folder.file("none"), "ann"), std::errc::no_such_file_or_directory);
}

TEST_F(password_file, names_every_line_that_is_wrong) {
  const std::string good = hash_of("a").text();
  const auto read =
      parse_passwords("ann:" + good + "\nno hash\nbob:secret\r\n:" + good + "\nann:" + good + "\n", "users");
  ASSERT_EQ(read.problems.size(), 4U);
  EXPECT_EQ(read.problems[0].line, 2U);
  EXPECT_EQ(read.problems[1].line, 3U);
  EXPECT_EQ(read.problems[2].line, 4U);
  EXPECT_EQ(read.problems[3].line, 5U);
  EXPECT_EQ(read.problems[3].source, "users");
  EXPECT_EQ(read_passwords(folder.file("none")).problems.size(), 1U);
}

TEST_F(password_file, holds_no_name_that_it_could_not_read_again) {
  for (const std::string bad : {"", "a:b", "a\nb", "#a", "a\x7F"}) {
    EXPECT_FALSE(is_user_name(bad));
    EXPECT_EQ(set_password(path, bad, hash_of("a")), std::errc::invalid_argument);
  }
  EXPECT_TRUE(is_user_name("ann of the gables"));
  EXPECT_TRUE(is_user_name("\xC3\xA4"));
  EXPECT_FALSE(fs::exists(path));
}

TEST_F(password_file, says_what_the_system_refuses) {
  EXPECT_TRUE(set_password(folder.file("no/such/folder"), "ann", hash_of("a")));
}

} // namespace
} // namespace troupe::brokerage
