// What broker/README.md says is tested, is.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <string>

namespace {

std::string text_of(const std::filesystem::path& path) {
  std::ifstream file{path, std::ios::binary};
  return {std::istreambuf_iterator<char>{file}, {}};
}

TEST(broker_readme, names_tests_that_exist) {
  const std::filesystem::path root{TROUPE_SOURCE_DIR};
  std::string tests;
  for (const auto& one : std::filesystem::directory_iterator{root / "test"})
    if (one.path().extension() == ".cpp") tests += text_of(one.path());
  const std::string readme = text_of(root / "broker" / "README.md");
  const std::regex name{"`([a-z0-9_]+)\\.([A-Za-z0-9_]+)`"};
  std::size_t count = 0;
  for (std::sregex_iterator each{readme.begin(), readme.end(), name}, end; each != end; ++each) {
    ++count;
    const std::string wanted = (*each)[1].str() + ", " + (*each)[2].str() + ")";
    EXPECT_NE(tests.find("(" + wanted), std::string::npos) << wanted;
  }
  EXPECT_GT(count, 60U);
}

} // namespace
