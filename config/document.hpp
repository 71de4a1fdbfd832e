// document: a TOML file as a flat list of keys with their lines.
//
// Lives here: entry, document, parse_document. toml++ stays in the source.
// Holds:   keys are written with dots ("tls.ca_file"); an element of an array of tables carries the
//          table's key and its place among its equals.
// Errors:  what is no TOML is one problem; nothing after it is known.
#pragma once

#include "problem.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace troupe::config {

enum class value_kind : std::uint8_t { boolean, number, text, list, other };

struct entry {
  std::string table{};   // "listener" for what stands under [[listener]], "bridge.map" under the
                         // [[bridge.map]] of a [[bridge]], else empty
  std::size_t index = 0; // which [[listener]]; which [[bridge.map]] of its [[bridge]]
  std::string key{};     // inside the table; empty for the table's own heading
  value_kind kind = value_kind::other;
  std::vector<std::string> texts{}; // one, unless kind is list
  std::uint32_t line = 0;
};

struct document {
  std::vector<entry> entries{};
  std::optional<problem> trouble{};
};

document parse_document(std::string_view text, std::string_view name);

/// Reads and parses; a file that cannot be read is a problem too.
document read_document(const std::string& path);

} // namespace troupe::config
