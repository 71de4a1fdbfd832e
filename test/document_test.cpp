#include <troupe/config/document.hpp>

#include <gtest/gtest.h>

using namespace troupe::config;

TEST(document, keys_come_with_dots_kinds_and_lines_in_the_order_of_the_file) {
  auto read = parse_document("number = 0x10\n"
                             "switch = true\n"
                             "[tls]\n"
                             "ca_file = \"x.pem\"\n"
                             "list = [\"a\", \"b\"]\n",
                             "x.toml");
  ASSERT_FALSE(read.trouble);
  ASSERT_EQ(read.entries.size(), 4U);
  EXPECT_EQ(read.entries[0].key, "number");
  EXPECT_EQ(read.entries[0].texts, std::vector<std::string>{"16"});
  EXPECT_EQ(read.entries[0].kind, value_kind::number);
  EXPECT_EQ(read.entries[1].kind, value_kind::boolean);
  EXPECT_EQ(read.entries[2].key, "tls.ca_file");
  EXPECT_EQ(read.entries[2].line, 4U);
  EXPECT_EQ(read.entries[3].texts, (std::vector<std::string>{"a", "b"}));
}

TEST(document, elements_of_a_table_list_carry_their_place) {
  auto read = parse_document("[[listener]]\nurl = \"a\"\n[[listener]]\nurl = \"b\"\n", "x.toml");
  ASSERT_EQ(read.entries.size(), 4U);
  EXPECT_EQ(read.entries[0].table, "listener");
  EXPECT_EQ(read.entries[0].key, "");
  EXPECT_EQ(read.entries[1].texts, std::vector<std::string>{"a"});
  EXPECT_EQ(read.entries[3].index, 1U);
  EXPECT_EQ(read.entries[3].line, 4U);
}

TEST(document, what_is_no_toml_is_one_problem_with_its_line) {
  auto read = parse_document("a = 1\nb = = 2\n", "x.toml");
  ASSERT_TRUE(read.trouble);
  EXPECT_EQ(read.trouble->source, "x.toml");
  EXPECT_EQ(read.trouble->line, 2U);
}

TEST(document, a_file_that_cannot_be_read_is_a_problem) {
  auto read = read_document("/nowhere/x.toml");
  ASSERT_TRUE(read.trouble);
  EXPECT_EQ(to_string(*read.trouble), "/nowhere/x.toml: cannot be read");
  EXPECT_TRUE(read_document("/").trouble);
}
