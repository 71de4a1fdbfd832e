#include <troupe/bench/load/scratch_file.hpp>

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

namespace {

using troupe::bench::scratch_file;
using troupe::bench::scratch_folder;

std::string text_of(const std::string& name) {
  std::ifstream file{name};
  return {std::istreambuf_iterator<char>{file}, {}};
}

TEST(scratch_file, holds_its_text_and_goes_with_its_object) {
  std::string name;
  {
    const scratch_file one{"test", "a line\n"};
    const scratch_file other{"test"};
    ASSERT_TRUE(one.is_whole());
    ASSERT_TRUE(other.is_whole());
    EXPECT_NE(one.name(), other.name());
    EXPECT_EQ(text_of(one.name()), "a line\n");
    EXPECT_EQ(std::filesystem::file_size(other.name()), 0U);
    EXPECT_EQ(std::filesystem::status(one.name()).permissions(),
              std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
    name = one.name();
  }
  EXPECT_FALSE(std::filesystem::exists(name));
}

TEST(scratch_file, lies_where_the_system_keeps_such_files) {
  const scratch_file one{"test"};
  const auto folder = std::filesystem::path{one.name()}.parent_path();
  EXPECT_EQ(folder.parent_path(), std::filesystem::temp_directory_path());
  EXPECT_EQ(std::filesystem::status(folder).permissions(), std::filesystem::perms::owner_all);
}

TEST(scratch_folder, goes_with_all_that_is_in_it) {
  std::string name;
  {
    const scratch_folder folder{"test"};
    ASSERT_TRUE(folder.is_made());
    name = folder.file("deep");
    std::filesystem::create_directory(name);
    std::ofstream{name + "/file"} << "text";
  }
  EXPECT_FALSE(std::filesystem::exists(std::filesystem::path{name}.parent_path()));
}

} // namespace
