#include "units.hpp"

#include <array>
#include <charconv>
#include <limits>

namespace troupe::config {

namespace {

struct unit {
  std::string_view name;
  std::uint64_t factor;
};

// The first name of a factor is the one printed; larger units come first.
constexpr std::array size_units{unit{"GiB", 1ULL << 30},
                                unit{"GB", 1'000'000'000},
                                unit{"MiB", 1ULL << 20},
                                unit{"MB", 1'000'000},
                                unit{"KiB", 1ULL << 10},
                                unit{"KB", 1'000},
                                unit{"B", 1},
                                unit{"", 1}};
constexpr std::array time_units{unit{"d", 86'400'000}, unit{"h", 3'600'000}, unit{"min", 60'000},
                                unit{"m", 60'000},     unit{"s", 1'000},     unit{"ms", 1},
                                unit{"", 1'000}};

template <std::size_t Count>
std::optional<std::uint64_t> parse(std::string_view text, const std::array<unit, Count>& units,
                                   std::uint64_t most) noexcept {
  std::uint64_t number = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{}) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  if (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  for (const unit& each : units) {
    if (each.name != text) continue;
    if (number > most / each.factor) return std::nullopt;
    return number * each.factor;
  }
  return std::nullopt;
}

template <std::size_t Count>
std::string print_as(std::uint64_t value, const std::array<unit, Count>& units, std::string_view least) {
  for (const unit& each : units)
    if (value != 0 && !each.name.empty() && value % each.factor == 0)
      return std::to_string(value / each.factor) + std::string(each.name);
  return std::to_string(value) + std::string(least);
}

} // namespace

std::optional<byte_count> parse_bytes(std::string_view text) noexcept {
  auto value = parse(text, size_units, std::numeric_limits<std::uint64_t>::max());
  if (!value) return std::nullopt;
  return byte_count{*value};
}

std::optional<std::chrono::milliseconds> parse_duration(std::string_view text) noexcept {
  auto value = parse(text, time_units, std::numeric_limits<std::int64_t>::max());
  if (!value) return std::nullopt;
  return std::chrono::milliseconds{static_cast<std::int64_t>(*value)};
}

std::string print(byte_count size) { return print_as(size.value, size_units, "B"); }

std::string print(std::chrono::milliseconds duration) {
  return print_as(static_cast<std::uint64_t>(duration.count()), time_units, "s");
}

} // namespace troupe::config
