#include "percentile.hpp"

#include <charconv>
#include <system_error>

namespace troupe::bench {
namespace {

std::optional<double> number_of(std::string_view text, std::chars_format how = std::chars_format::fixed) {
  double value = 0;
  const auto [end, wrong] = std::from_chars(text.data(), text.data() + text.size(), value, how);
  if (wrong != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

bool is_percentile(double value) noexcept { return value > 0 && value < 100; }

} // namespace

std::optional<std::vector<double>> parse_percentiles(std::string_view words) {
  std::vector<double> all;
  for (;;) {
    const auto comma = words.find(',');
    const auto value = number_of(words.substr(0, comma));
    if (!value || !is_percentile(*value)) return std::nullopt;
    all.push_back(*value);
    if (comma == std::string_view::npos) return all;
    words.remove_prefix(comma + 1);
  }
}

std::string percentile_name(double percentile) {
  std::array<char, 512> text; // as many as a double can have
  const auto end = std::to_chars(text.begin(), text.end(), percentile, std::chars_format::fixed).ptr;
  return 'p' + std::string{text.begin(), end};
}

std::optional<double> share_of_name(std::string_view name) {
  if (!name.starts_with('p')) return std::nullopt;
  const std::string_view number = name.substr(1);
  const auto value = number_of(number);
  if (!value || !is_percentile(*value)) return std::nullopt;
  // A division would be off by a last bit, and so by a rank.
  return number_of(std::string{number} + "e-2", std::chars_format::general);
}

} // namespace troupe::bench
