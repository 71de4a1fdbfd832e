// sample: what must hold for a settings struct and its sample file in config/.
#pragma once

#include <troupe/config/document.hpp>
#include <troupe/config/load.hpp>

#include <algorithm>
#include <fstream>
#include <gtest/gtest.h>
#include <sstream>
#include <string>

namespace support {

inline std::string all_of(const std::vector<troupe::config::problem>& problems) {
  std::string text;
  for (const auto& each : problems) text += to_string(each) + '\n';
  return text;
}

/// Loading the sample changes nothing, and the sample shows every key.
template <class Settings>
void expect_sample_shows_the_defaults(const std::string& path) {
  Settings loaded;
  auto result = troupe::config::load(loaded, {.file = path});
  EXPECT_EQ(all_of(result.problems), "");
  EXPECT_TRUE(loaded == Settings{}) << path << " and the struct's defaults differ";

  auto shown = troupe::config::read_document(path).entries;
  Settings defaults;
  for (const auto& field : defaults.describe().fields) {
    auto same = [&](const auto& entry) { return entry.table.empty() && entry.key == field.key; };
    EXPECT_TRUE(std::ranges::any_of(shown, same)) << path << " does not show " << field.key;
  }
}

/// The sample's text with its "#:" examples taken into use.
inline std::string with_examples(const std::string& path) {
  std::ifstream file(path);
  std::string text, line;
  while (std::getline(file, line)) text += (line.starts_with("#:") ? line.substr(2) : line) + '\n';
  return text;
}

} // namespace support
