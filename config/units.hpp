// units: sizes and durations as people write them.
//
// Lives here: byte_count; reading and writing of "64KiB" and "30s".
// Units:   KB, MB, GB are powers of 1000, KiB, MiB, GiB of 1024; a bare number is octets. Durations are
//          whole ms, s, min, h, d; a bare number is seconds, as MQTT counts.
// Errors:  what cannot be read, or does not fit, is no value.
#pragma once

#include <chrono>
#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace troupe::config {

/// A size in octets.
struct byte_count {
  std::uint64_t value = 0;
  friend auto operator<=>(const byte_count&, const byte_count&) = default;
};

std::optional<byte_count> parse_bytes(std::string_view text) noexcept;
std::optional<std::chrono::milliseconds> parse_duration(std::string_view text) noexcept;

/// The shortest text that reads back as the same value: "64KiB", "90s".
std::string print(byte_count size);
std::string print(std::chrono::milliseconds duration);

} // namespace troupe::config
