#include "document.hpp"

#include <toml++/toml.h>

#include <algorithm>
#include <fstream>
#include <sstream>

namespace troupe::config {

namespace {

std::string text_of(const toml::node& node) {
  if (auto* text = node.as_string()) return text->get();
  if (auto* whole = node.as_integer()) return std::to_string(whole->get()); // 0x10 is 16
  std::ostringstream out;
  node.visit([&out](const auto& value) { out << value; });
  return out.str();
}

value_kind kind_of(const toml::node& node) noexcept {
  if (node.is_boolean()) return value_kind::boolean;
  if (node.is_number()) return value_kind::number;
  if (node.is_string()) return value_kind::text;
  return node.is_array() ? value_kind::list : value_kind::other;
}

struct walker {
  std::vector<entry>& entries;
  std::string table{};
  std::size_t index = 0;

  void walk(const toml::table& group, const std::string& prefix) {
    for (auto&& [name, node] : group) {
      std::string key = prefix + std::string(name.str());
      if (auto* inner = node.as_table())
        walk(*inner, key + '.');
      else if (auto* list = node.as_array(); list && !list->empty() && list->is_array_of_tables())
        walk_tables(*list, table.empty() ? key : table + '.' + key);
      else
        take(node, std::move(key));
    }
  }

  void walk_tables(const toml::array& list, const std::string& key) {
    std::size_t place = 0;
    for (auto&& element : list) {
      entries.push_back({key, place, "", value_kind::other, {}, element.source().begin.line});
      walker{entries, key, place}.walk(*element.as_table(), "");
      ++place;
    }
  }

  void take(const toml::node& node, std::string key) {
    entry found{table, index, std::move(key), kind_of(node), {}, node.source().begin.line};
    if (auto* list = node.as_array())
      for (auto&& element : *list) found.texts.push_back(text_of(element));
    else
      found.texts.push_back(text_of(node));
    entries.push_back(std::move(found));
  }
};

document failed(std::string_view name, std::uint32_t line, std::string what) {
  return {{}, problem{std::string(name), line, "", std::move(what)}};
}

} // namespace

document parse_document(std::string_view text, std::string_view name) {
#if TOML_EXCEPTIONS
  try {
    toml::table root = toml::parse(text, name);
#else
  toml::parse_result parsed = toml::parse(text, name);
  if (!parsed)
    return failed(name, parsed.error().source().begin.line, std::string(parsed.error().description()));
  toml::table root = std::move(parsed).table();
#endif
    document result;
    walker{result.entries}.walk(root, "");
    std::ranges::stable_sort(result.entries, {}, &entry::line);
    return result;
#if TOML_EXCEPTIONS
  } catch (const toml::parse_error& error) {
    return failed(name, error.source().begin.line, std::string(error.description()));
  }
#endif
}

document read_document(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  if (!file || !(text << file.rdbuf())) return failed(path, 0, "cannot be read");
  return parse_document(text.view(), path);
}

} // namespace troupe::config
