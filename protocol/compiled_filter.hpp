// compiled_filter: one topic filter, taken apart once so that matching it often costs next to nothing.
//
// Lives here: compiled_filter; route templates are built on it too (topic_template).
// Holds:   a filter is literal runs with one `+` between each two, and perhaps `#` behind the last:
//          `a/+/b/#` is the runs `a/` and `/b` with an open end. Its own copy of the text.
// Errors:  those of check_topic_filter; matches() cannot fail.
// Costs:   compiling allocates for texts beyond a small string's size and beyond eight runs; matching
//          allocates nothing and compares each literal run at once. `$share/x/` is not matched but
//          left out.
#pragma once

#include "errc.hpp"
#include "result.hpp"

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace troupe::protocol {

class compiled_filter {
public:
  /// Matches nothing.
  compiled_filter() noexcept = default;
  static result<compiled_filter> make(std::string_view filter);

  /// Whether the valid topic name matches [MQTT-4.7.2-1] [MQTT-4.7.1-2].
  bool matches(std::string_view name) const noexcept;
  /// The same; the level under the nth `+` is put at `captures[n]`, as many as fit.
  bool matches(std::string_view name, std::span<std::string_view> captures) const noexcept;
  /// What stands under a `#` that matched `name`, without its slash; empty if there is no `#`.
  std::string_view tail(std::string_view name, std::span<const std::string_view> captures) const noexcept;

  /// The filter that is matched, without `$share/name/`.
  std::string_view text() const noexcept { return text_; }
  /// How many levels are `+`.
  std::size_t wildcards() const noexcept { return pluses_; }
  bool has_open_end() const noexcept { return open_; }

private:
  enum class shape : std::uint8_t { nothing, exact, prefix, runs };
  struct run {
    std::uint16_t offset;
    std::uint16_t size;
  };
  static constexpr std::size_t inline_runs = 8;

  const run* runs() const noexcept { return more_.empty() ? few_.data() : more_.data(); }
  void split();
  template <class OnLevel>
  bool walk(std::string_view name, OnLevel on_level) const noexcept;

  std::string text_;
  std::vector<run> more_; // all runs, when they are more than inline_runs
  std::array<run, inline_runs> few_{};
  std::uint16_t pluses_ = 0; // one less than the runs
  shape shape_ = shape::nothing;
  bool open_ = false;                 // ends in `#`
  bool starts_with_wildcard_ = false; // never matches `$...`
};

} // namespace troupe::protocol
