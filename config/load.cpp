#include "load.hpp"

#include "document.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <map>
#include <string_view>
#include <unistd.h>

namespace troupe::config {

namespace {

std::string option_name(std::string_view key) { // max_keep_alive -> --max-keep-alive
  std::string name = "--" + std::string(key);
  std::ranges::replace(name, '_', '-');
  std::ranges::replace(name, '.', '-');
  return name;
}

std::string variable_name(std::string_view prefix, std::string_view key) {
  std::string name{prefix};
  for (char c : key) name += c == '.' ? '_' : static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return name;
}

const field* find(const std::vector<field>& fields, std::string_view key) noexcept {
  auto found = std::ranges::find(fields, key, &field::key);
  return found == fields.end() ? nullptr : &*found;
}

/// What a TOML value of this kind can be for this field, in words when it cannot.
std::optional<std::string> misfit(const field& target, value_kind kind) {
  const bool fits = target.is_switch()     ? kind == value_kind::boolean
                    : target.is_list()     ? kind == value_kind::list
                    : target.is_quantity() ? kind == value_kind::text || kind == value_kind::number
                    : target.is_text()     ? kind == value_kind::text
                                           : kind == value_kind::number;
  if (fits) return {};
  return target.is_switch() ? "wants true or false, without quotes"
         : target.is_list() ? "wants a list: [\"...\"]"
         : target.is_text() ? "wants a text in quotes"
                            : "wants a number, without quotes";
}

// --- the file -----------------------------------------------------------------------------------------

struct file_loader {
  const description& settings;
  const std::string& name;
  std::vector<problem>& problems;
  std::map<std::string, std::vector<field>> elements{}; // of each [[table]], the one read last

  void load() {
    document text = read_document(name);
    if (text.trouble) problems.push_back(std::move(*text.trouble));
    for (const entry& each : text.entries)
      each.table.empty() ? take(settings.fields, each) : take_element(each);
  }

  void take_element(const entry& each) {
    if (each.key.empty()) return open(each);
    if (const auto found = elements.find(each.table); found != elements.end()) take(found->second, each);
  }

  void open(const entry& heading) {
    const auto found = table_at(heading.table);
    if (!found) return problems.push_back({name, heading.line, heading.table, "unknown table"});
    if (heading.index == 0) found->clear();
    elements[heading.table] = found->add();
  }

  /// "bridge", or "bridge.map": of the bridge read last.
  std::optional<table> table_at(const std::string& key) const {
    const auto dot = key.find('.');
    const auto outer = std::ranges::find(settings.tables, key.substr(0, dot), &table::key);
    if (outer == settings.tables.end()) return {};
    if (dot == std::string::npos) return *outer;
    const std::size_t count = outer->all().size();
    if (!outer->within || count == 0) return {};
    const auto inner = outer->within(count - 1);
    const auto found = std::ranges::find(inner, key.substr(dot + 1), &table::key);
    return found == inner.end() ? std::nullopt : std::optional{*found};
  }

  void take(const std::vector<field>& fields, const entry& each) {
    std::string key = each.table.empty() ? each.key : each.table + '.' + each.key;
    const field* target = find(fields, each.key);
    std::optional<std::string> wrong;
    if (target == nullptr)
      wrong = "unknown key";
    else if (wrong = misfit(*target, each.kind); !wrong)
      wrong = target->assign(each.texts);
    if (wrong) problems.push_back({name, each.line, std::move(key), std::move(*wrong)});
  }
};

// --- the environment ----------------------------------------------------------------------------------

std::vector<std::string> split(std::string_view text) {
  std::vector<std::string> parts;
  while (!text.empty()) {
    auto comma = std::min(text.find(','), text.size());
    parts.emplace_back(text.substr(0, comma));
    text.remove_prefix(std::min(comma + 1, text.size()));
  }
  return parts;
}

void load_environment(const description& settings, const std::string& prefix,
                      std::vector<problem>& problems) {
  if (prefix.empty()) return;
  std::map<std::string, const field*> known;
  for (const field& each : settings.fields) known.emplace(variable_name(prefix, each.key), &each);
  for (char** variable = environ; *variable != nullptr; ++variable) {
    std::string_view text{*variable};
    if (!text.starts_with(prefix)) continue;
    auto equals = std::min(text.find('='), text.size());
    std::string name{text.substr(0, equals)};
    std::string value{text.substr(std::min(equals + 1, text.size()))};
    auto found = known.find(name);
    std::optional<std::string> wrong = "unknown variable";
    if (found != known.end())
      wrong = found->second->assign(found->second->is_list() ? split(value) : std::vector{value});
    if (wrong) problems.push_back({"environment", 0, std::move(name), std::move(*wrong)});
  }
}

// --- the command line ---------------------------------------------------------------------------------

/// Collects texts by key; nothing is assigned before the file and the environment have been.
class command_line {
public:
  command_line(const description& settings, const sources& from)
      : settings_{settings}, app_{from.purpose, from.program} {
    app_.set_help_flag("--help", "this list"); // -h is a host's name in this trade
    app_.allow_extras();
    app_.add_option("--config", file_, "TOML file with the same keys")->type_name("FILE");
    if (from.prints)
      app_.add_flag("--print-config", is_print_wanted_, "print the settings that would hold, and end")
          ->type_name("");
    if (!from.advice.empty()) app_.footer(from.advice);
    for (const field& each : settings.fields) add(each);
    for (const table& each : settings.tables)
      app_.add_option(option_name(each.key), given_[each.key], each.sentence)
          ->type_name("TEXT")
          ->allow_extra_args(false);
  }

  /// Help was asked for: its text. Problems otherwise, if any.
  std::string parse(std::vector<std::string> arguments, std::vector<problem>& problems) {
    std::ranges::reverse(arguments); // as CLI11 wants them
    try {
      app_.parse(std::move(arguments));
    } catch (const CLI::CallForHelp&) {
      return app_.help();
    } catch (const CLI::ParseError& error) {
      problems.push_back({source, 0, "", error.what()});
    }
    for (const std::string& each : app_.remaining()) problems.push_back({source, 0, each, "unknown option"});
    return {};
  }

  const std::string& file() const noexcept { return file_; }
  bool is_print_wanted() const noexcept { return is_print_wanted_; }

  void assign(std::vector<problem>& problems) const {
    for (const field& each : settings_.fields)
      if (const auto& texts = given_.at(each.key); !texts.empty()) // the last one counts, unless a list
        note(each.assign(each.is_list() ? std::span{texts} : std::span{&texts.back(), 1}),
             option_name(each.key), problems);
    for (const table& each : settings_.tables) {
      const auto& texts = given_.at(each.key);
      if (!texts.empty()) each.clear();
      for (const std::string& text : texts) {
        auto element = each.add();
        note(find(element, each.main_key)->assign(std::span{&text, 1}), option_name(each.key), problems);
      }
    }
  }

private:
  static constexpr const char* source = "command line";

  static void note(std::optional<std::string> wrong, std::string key, std::vector<problem>& problems) {
    if (wrong) problems.push_back({source, 0, std::move(key), std::move(*wrong)});
  }

  void add(const field& each) {
    auto& texts = given_[each.key];
    auto sentence = each.sentence + " (" + each.print() + ")";
    if (each.is_switch()) { // --retain-available, --retain-available=false, --no-retain-available
      auto positive = option_name(each.key);
      app_.add_flag_function(
              positive + ",!--no-" + positive.substr(2),
              [&texts](std::int64_t count) { texts = {count > 0 ? "true" : "false"}; }, sentence)
          ->type_name("");
      return;
    }
    auto letter = each.letter == 0 ? "" : std::string{'-', each.letter, ','};
    auto* option = app_.add_option(letter + option_name(each.key), texts, sentence)->allow_extra_args(false);
    option->type_name(each.choices.empty() ? "TEXT" : CLI::detail::join(each.choices, "|"));
  }

  const description& settings_;
  CLI::App app_;
  std::string file_;
  bool is_print_wanted_ = false;
  std::map<std::string, std::vector<std::string>> given_; // nodes stay where they are
};

// --- and out again ------------------------------------------------------------------------------------

void show(const std::vector<field>& fields, std::string& text) {
  for (const field& each : fields)
    text += "# " + each.sentence + '\n' + each.key + " = " + each.print() + "\n";
}

void show(const table& group, const std::string& key, std::string& text) {
  std::size_t place = 0;
  for (const auto& element : group.all()) {
    text += "\n[[" + key + "]]\n";
    show(element, text);
    if (group.within)
      for (const table& inner : group.within(place)) show(inner, key + '.' + inner.key, text);
    ++place;
  }
}

} // namespace

loading load(const description& settings, const sources& from) {
  loading result;
  std::vector<problem> on_command_line; // shown last: the order of precedence
  command_line line{settings, from};
  result.help = line.parse(from.arguments, on_command_line);
  if (!result.help.empty()) return result;

  result.is_print_wanted = line.is_print_wanted();
  const std::string& file = line.file().empty() ? from.file : line.file();
  if (!file.empty()) file_loader{settings, file, result.problems}.load();
  load_environment(settings, from.environment_prefix, result.problems);
  line.assign(on_command_line);
  std::ranges::move(on_command_line, std::back_inserter(result.problems));
  return result;
}

std::string print(const description& settings) {
  std::string text;
  show(settings.fields, text);
  for (const table& each : settings.tables) show(each, each.key, text);
  return text;
}

std::vector<std::string> arguments_of(int argc, const char* const* argv) {
  return argc > 1 ? std::vector<std::string>(argv + 1, argv + argc) : std::vector<std::string>{};
}

} // namespace troupe::config
