// option_words: options whose words are times, quantities, choices, or pairs.
//
// Lives here: add_parsed(), add_duration(), add_quantity(), add_choice(), add_pairs().
// Errors:  CLI11's validation error, which names the option and the word.
#pragma once

#include "condition.hpp"

#include "../../config/units.hpp"

#include <CLI/CLI.hpp>

#include <chrono>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace troupe::bench {

template <class Set>
CLI::Option* add_parsed(CLI::App& app, const std::string& names, const std::string& text,
                        const std::string& type, Set set) {
  return app
      .add_option_function<std::string>(
          names,
          [names, set](const std::string& word) {
            if (!set(word)) throw CLI::ValidationError{names, "'" + word + "' is not understood"};
          },
          text)
      ->type_name(type);
}

template <class Target>
CLI::Option* add_duration(CLI::App& app, const std::string& names, Target& to, const std::string& text) {
  return add_parsed(app, names, text, "TIME", [&to](const std::string& word) {
    const auto time = config::parse_duration(word);
    if (time) to = std::chrono::duration_cast<std::chrono::milliseconds>(*time);
    return time.has_value();
  });
}

template <class Number>
CLI::Option* add_quantity(CLI::App& app, const std::string& names, Number& to, const std::string& text) {
  return add_parsed(app, names, text, "NUMBER", [&to](const std::string& word) {
    const auto value = parse_quantity(word);
    if (!value || *value < 0 || *value > 1e15) return false;
    to = static_cast<Number>(*value);
    return true;
  });
}

template <class Value>
CLI::Option* add_choice(CLI::App& app, const std::string& names, Value& to,
                        const std::map<std::string, Value>& words, const std::string& text) {
  std::string type;
  for (const auto& [word, value] : words) type += (type.empty() ? "" : "|") + word;
  return add_parsed(app, names, text, type, [&to, words](const std::string& word) {
    const auto found = words.find(word);
    if (found != words.end()) to = found->second;
    return found != words.end();
  });
}

/// name=value, again and again.
inline CLI::Option* add_pairs(CLI::App& app, const std::string& names,
                              std::vector<std::pair<std::string, std::string>>& to, const std::string& text) {
  return app
      .add_option_function<std::vector<std::string>>(
          names,
          [names, &to](const std::vector<std::string>& words) {
            for (const std::string& word : words) {
              const auto cut = word.find('=');
              if (cut == 0 || cut == std::string::npos)
                throw CLI::ValidationError{names, "'" + word + "' is not NAME=VALUE"};
              to.emplace_back(word.substr(0, cut), word.substr(cut + 1));
            }
          },
          text)
      ->type_name("NAME=VALUE")
      ->allow_extra_args(false);
}

} // namespace troupe::bench
