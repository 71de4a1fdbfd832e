#include "config_words.hpp"

#include "../../config/document.hpp"

#include <algorithm>

namespace troupe::bench {
namespace {

using config::entry;
using config::value_kind;

/// The option's name when the key is for this command; empty when it is for another.
std::string option_of(const entry& each, const std::string& command) {
  const auto dot = each.key.find('.');
  if (dot == std::string::npos) return each.key;
  return each.key.substr(0, dot) == command ? each.key.substr(dot + 1) : std::string{};
}

void add(std::vector<std::string>& to, const entry& each, const std::string& option) {
  if (each.kind == value_kind::boolean) {
    if (!each.texts.empty() && each.texts.front() == "true") to.push_back("--" + option);
    return;
  }
  for (const std::string& text : each.texts) {
    to.push_back("--" + option);
    to.push_back(text);
  }
}

/// Where the options begin: behind the names of subcommands.
std::size_t end_of_names(const std::vector<std::string>& words) {
  const auto first =
      std::find_if(words.begin(), words.end(), [](const auto& each) { return each.starts_with('-'); });
  return static_cast<std::size_t>(first - words.begin());
}

} // namespace

expanded_words with_config(const std::vector<std::string>& words) {
  expanded_words result;
  std::vector<std::string> rest, read;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const bool is_joined = words[i].starts_with("--config=");
    if (!is_joined && words[i] != "--config") {
      rest.push_back(words[i]);
      continue;
    }
    if (!is_joined && i + 1 == words.size()) {
      result.problem = "--config wants a FILE";
      return result;
    }
    const std::string file = is_joined ? words[i].substr(words[i].find('=') + 1) : words[++i];
    const config::document all = config::read_document(file);
    if (all.trouble) {
      result.problem = config::to_string(*all.trouble);
      return result;
    }
    for (const entry& each : all.entries)
      if (const std::string option = option_of(each, words.front()); !option.empty()) add(read, each, option);
  }
  result.words = rest;
  result.words.insert(result.words.begin() + static_cast<std::ptrdiff_t>(end_of_names(rest)), read.begin(),
                      read.end());
  return result;
}

} // namespace troupe::bench
