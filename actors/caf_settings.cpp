#include "caf_settings.hpp"

#include <caf/config_option.hpp>
#include <caf/error.hpp>
#include <caf/expected.hpp>
#include <caf/pec.hpp>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

namespace troupe {

namespace {

constexpr const char* group = "mqtt";

/// "tls.ca_file" is "tls-ca-file".
std::string option_name(std::string key) {
  std::replace_if(
      key.begin(), key.end(), [](char c) { return c == '_' || c == '.'; }, '-');
  return key;
}

// CAF's own switches can be turned on from the command line and never off; these are said as true or false.

caf::error check_switch(const caf::config_value& value) {
  return caf::holds_alternative<bool>(value) ? caf::error{} : caf::make_error(caf::pec::type_mismatch);
}

void store_switch(void* place, const caf::config_value& value) {
  if (place != nullptr) *static_cast<bool*>(place) = caf::get<bool>(value);
}

caf::config_value switch_at(const void* place) { return caf::config_value{*static_cast<const bool*>(place)}; }

caf::expected<caf::config_value> parse_switch(void* place, caf::string_view text) {
  const std::string_view word{text.data(), text.size()};
  if (word != "true" && word != "false") return caf::make_error(caf::pec::unexpected_character);
  caf::config_value value{word == "true"};
  store_switch(place, value);
  return value;
}

caf::config_option make_switch(const std::string& name, const std::string& sentence) {
  static const caf::config_option::meta_state kind{check_switch, store_switch, switch_at, parse_switch,
                                                   "true|false"};
  return {group, name, sentence, &kind};
}

bool is_ours(const config::field& each) { return !each.key.starts_with("runtime."); }

void add_option(caf::config_option_set& to, const config::field& each) {
  const std::string name = option_name(each.key);
  if (each.is_switch())
    to.add(make_switch(name, each.sentence));
  else if (each.is_list())
    to.add<std::vector<std::string>>(group, name, each.sentence);
  else if (std::holds_alternative<std::uint16_t*>(each.where))
    to.add<std::uint16_t>(group, name, each.sentence);
  else if (std::holds_alternative<std::uint32_t*>(each.where))
    to.add<std::uint32_t>(group, name, each.sentence);
  else
    to.add<std::string>(group, name, each.sentence);
}

/// As the settings' own parser takes it; none: it was not said.
std::vector<std::string> texts_of(const caf::config_value& value) {
  if (const auto* const text = caf::get_if<std::string>(&value)) return {*text};
  if (const auto* const flag = caf::get_if<bool>(&value)) return {*flag ? "true" : "false"};
  if (const auto* const list = caf::get_if<caf::config_value::list>(&value)) {
    std::vector<std::string> all;
    for (const caf::config_value& each : *list)
      for (std::string& text : texts_of(each)) all.push_back(std::move(text));
    return all;
  }
  return {caf::to_string(value)};
}

} // namespace

void add_client_options(caf::config_option_set& to) {
  config::client_settings settings;
  for (const config::field& each : settings.describe().fields)
    if (is_ours(each)) add_option(to, each);
}

std::vector<config::problem> read_client_settings(const caf::actor_system_config& from,
                                                  config::client_settings& into) {
  std::vector<config::problem> found;
  for (const config::field& each : into.describe().fields) {
    const std::string name = std::string{group} + '.' + option_name(each.key);
    const caf::config_value* const value = is_ours(each) ? caf::get_if(&content(from), name) : nullptr;
    if (value == nullptr) continue;
    const auto texts = texts_of(*value);
    if (auto wrong = each.assign(texts)) found.push_back({"", 0, name, std::move(*wrong)});
  }
  for (config::problem& trouble : into.check()) {
    trouble.key = std::string{group} + '.' + option_name(trouble.key);
    found.push_back(std::move(trouble));
  }
  return found;
}

} // namespace troupe
