// field: how a struct says a setting once: key, place, bounds, sentence. The default is what the struct
// holds before anything is loaded.
//
// Lives here: field (one value), table (a list of equal groups, [[listener]], which may have tables in them,
//          [[bridge.map]]), description (both).
// Holds:   a description points into the settings it describes and must not outlive them.
// Units:   bounds count octets for sizes, milliseconds for durations.
// Errors:  assign says what is wrong in words.
#pragma once

#include "units.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace troupe::config {

struct field {
  using place = std::variant<bool*, std::uint16_t*, std::uint32_t*, std::string*, byte_count*,
                             std::chrono::milliseconds*, std::vector<std::string>*>;

  std::string key{};      // "receive_maximum", "tls.ca_file"
  place where{};          // in the settings
  std::string sentence{}; // for people, without the default
  std::uint64_t least = 0;
  std::uint64_t most = std::numeric_limits<std::int64_t>::max();
  std::vector<std::string> choices{}; // for texts: nothing else is accepted
  char letter = 0;                    // the short option, 'p' for -p; 0: none

  bool is_list() const noexcept { return std::holds_alternative<std::vector<std::string>*>(where); }
  bool is_switch() const noexcept { return std::holds_alternative<bool*>(where); }
  bool is_text() const noexcept;     // values of it are strings in TOML
  bool is_quantity() const noexcept; // a size or a duration

  /// Sets the place, or says what is wrong with `texts` and leaves it alone. One text unless is_list.
  std::optional<std::string> assign(std::span<const std::string> texts) const;
  /// The present value, as TOML writes it.
  std::string print() const;
};

struct table {
  std::string key{};
  std::string sentence{};
  std::string main_key{};                    // what one element is on the command line: its url
  std::function<void()> clear{};             // drops all elements
  std::function<std::vector<field>()> add{}; // appends an element; its fields are valid until the next
  std::function<std::vector<std::vector<field>>()> all{}; // the elements there are
  /// The tables in the element at a place; nothing: there are none. They stand in files alone.
  std::function<std::vector<table>(std::size_t)> within{};
};

struct description {
  std::vector<field> fields{};
  std::vector<table> tables{};
};

/// Appends `inner` to `outer`, each key below `prefix`: "tls." makes "tls.ca_file" of "ca_file".
void append(std::vector<field>& outer, std::string_view prefix, std::vector<field> inner);

/// The table over a vector of groups that have a `std::vector<field> fields()`.
template <class Group>
table table_of(std::string key, std::vector<Group>& groups, std::string main_key, std::string sentence) {
  return {std::move(key),
          std::move(sentence),
          std::move(main_key),
          [&groups] { groups.clear(); },
          [&groups] { return groups.emplace_back().fields(); },
          [&groups] {
            std::vector<std::vector<field>> elements;
            for (Group& each : groups) elements.push_back(each.fields());
            return elements;
          },
          {}};
}

} // namespace troupe::config
