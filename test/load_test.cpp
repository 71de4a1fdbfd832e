#include "support/sample.hpp"
#include "support/scratch_folder.hpp"

#include <troupe/config/load.hpp>

#include <cstdlib>
#include <fstream>
#include <gtest/gtest.h>

using namespace troupe::config;

namespace {

struct group {
  std::string url = "none";
  std::uint16_t weight = 1;
  std::vector<field> fields() {
    return {{.key = "url", .where = &url}, {.key = "weight", .where = &weight, .least = 1}};
  }
};

struct example {
  std::uint16_t port = 1;
  std::string name = "default";
  bool retain = true;
  std::vector<std::string> words{};
  std::chrono::milliseconds wait{1'000};
  std::vector<group> groups{};

  description describe() {
    description all{
        .fields = {{.key = "port", .where = &port, .sentence = "A port", .least = 1, .letter = 'p'},
                   {.key = "name", .where = &name},
                   {.key = "retain", .where = &retain},
                   {.key = "words", .where = &words},
                   {.key = "inner.wait", .where = &wait}}};
    all.tables.push_back(table_of("group", groups, "url", "Groups"));
    return all;
  }
  std::vector<problem> check() const {
    if (name == "port" + std::to_string(port)) return {{"", 0, "name", "fits the port too well"}};
    return {};
  }
};

class load_test : public testing::Test {
protected:
  ~load_test() override {
    for (const auto& each : variables_) unsetenv(each.c_str());
  }
  void write(const std::string& text) { std::ofstream(path_) << text; }
  void set(const std::string& variable, const std::string& value) {
    setenv(variable.c_str(), value.c_str(), 1);
    variables_.push_back(variable);
  }
  std::string problems_of(std::vector<std::string> arguments, bool with_file = true) {
    auto result = load(settings, {.program = "example",
                                  .purpose = "Shows.",
                                  .environment_prefix = "LOAD_TEST_",
                                  .file = with_file ? path_ : "",
                                  .arguments = std::move(arguments)});
    help = result.help;
    return support::all_of(result.problems);
  }

  example settings;
  std::string help;
  troupe::test::scratch_folder folder_{};
  std::string path_ = folder_.file("settings.toml");

private:
  std::vector<std::string> variables_;
};

} // namespace

TEST_F(load_test, the_defaults_stay_where_nobody_says_anything) {
  EXPECT_EQ(problems_of({}, false), "");
  EXPECT_EQ(settings.port, 1);
  EXPECT_EQ(settings.name, "default");
}

TEST_F(load_test, the_command_line_beats_the_environment_and_that_the_file_and_that_the_default) {
  write("port = 2\nname = \"file\"\nretain = false\n[inner]\nwait = 3\n");
  set("LOAD_TEST_PORT", "3");
  set("LOAD_TEST_NAME", "environment");
  EXPECT_EQ(problems_of({"--port", "4"}), "");
  EXPECT_EQ(settings.port, 4);
  EXPECT_EQ(settings.name, "environment");
  EXPECT_FALSE(settings.retain);
  EXPECT_EQ(settings.wait, std::chrono::seconds{3});
}

TEST_F(load_test, every_spelling_of_an_option_works) {
  EXPECT_EQ(problems_of({"-p", "5", "--inner-wait=2s", "--no-retain", "--words", "a", "--words", "b"}, false),
            "");
  EXPECT_EQ(settings.port, 5);
  EXPECT_EQ(settings.wait, std::chrono::seconds{2});
  EXPECT_FALSE(settings.retain);
  EXPECT_EQ(settings.words, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(problems_of({"--retain", "--port", "6", "--port", "7"}, false), "");
  EXPECT_TRUE(settings.retain);
  EXPECT_EQ(settings.port, 7);
}

TEST_F(load_test, a_list_in_the_environment_is_separated_by_commas) {
  set("LOAD_TEST_WORDS", "x,y,z");
  EXPECT_EQ(problems_of({}, false), "");
  EXPECT_EQ(settings.words, (std::vector<std::string>{"x", "y", "z"}));
}

TEST_F(load_test, the_config_option_names_the_file) {
  write("port = 9\n");
  EXPECT_EQ(problems_of({"--config", path_}, false), "");
  EXPECT_EQ(settings.port, 9);
}

TEST_F(load_test, tables_are_lists_of_groups) {
  write("[[group]]\nurl = \"a\"\n[[group]]\nurl = \"b\"\nweight = 5\n");
  EXPECT_EQ(problems_of({}), "");
  ASSERT_EQ(settings.groups.size(), 2U);
  EXPECT_EQ(settings.groups[0].url, "a");
  EXPECT_EQ(settings.groups[0].weight, 1);
  EXPECT_EQ(settings.groups[1].weight, 5);
}

TEST_F(load_test, groups_on_the_command_line_replace_those_of_the_file) {
  write("[[group]]\nurl = \"a\"\n[[group]]\nurl = \"b\"\n");
  EXPECT_EQ(problems_of({"--group", "c"}), "");
  ASSERT_EQ(settings.groups.size(), 1U);
  EXPECT_EQ(settings.groups[0].url, "c");
}

TEST_F(load_test, all_problems_are_told_at_once_with_source_line_and_key) {
  write("port = 0\n"
        "nmae = \"x\"\n"
        "retain = \"true\"\n"
        "words = \"a\"\n"
        "[[group]]\n"
        "weight = 0\n"
        "colour = 1\n"
        "[[grape]]\n"
        "x = 1\n");
  set("LOAD_TEST_PORTT", "1");
  set("LOAD_TEST_INNER_WAIT", "soon");
  std::string expected = path_ + ":1: port: wants a number from 1 to 65535, not '0'\n" + //
                         path_ + ":2: nmae: unknown key\n" +                             //
                         path_ + ":3: retain: wants true or false, without quotes\n" +   //
                         path_ + ":4: words: wants a list: [\"...\"]\n" +                //
                         path_ + ":6: group.weight: wants a number from 1 to 65535, not '0'\n" + path_
                         + ":7: group.colour: unknown key\n" + //
                         path_ + ":8: grape: unknown table\n";
  auto all = problems_of({"--port", "x", "--frob"});
  EXPECT_EQ(all.substr(0, expected.size()), expected);
  auto rest = all.substr(expected.size());
  EXPECT_NE(rest.find("environment: LOAD_TEST_PORTT: unknown variable\n"), std::string::npos) << rest;
  EXPECT_NE(
      rest.find(
          "environment: LOAD_TEST_INNER_WAIT: wants a duration of at least 0s (like 30s), not 'soon'\n"),
      std::string::npos)
      << rest;
  EXPECT_NE(rest.find("command line: --frob: unknown option\n"), std::string::npos) << rest;
  EXPECT_NE(rest.find("command line: --port: wants a number from 1 to 65535, not 'x'\n"), std::string::npos)
      << rest;
}

TEST_F(load_test, an_option_without_its_value_is_a_problem) { EXPECT_NE(problems_of({"--port"}, false), ""); }

TEST_F(load_test, the_settings_judge_themselves_as_a_whole) {
  EXPECT_EQ(problems_of({"--name", "port1"}, false), "name: fits the port too well\n");
}

TEST_F(load_test, help_shows_every_option_with_its_default_and_loads_nothing) {
  EXPECT_EQ(problems_of({"--port", "8", "--help"}, false), "");
  EXPECT_NE(help.find("--inner-wait"), std::string::npos);
  EXPECT_NE(help.find("A port (1)"), std::string::npos);
  EXPECT_EQ(settings.port, 1);
}

TEST_F(load_test, a_missing_file_is_a_problem) {
  EXPECT_EQ(problems_of({"--config", "/nowhere.toml"}, false), "/nowhere.toml: cannot be read\n");
}
