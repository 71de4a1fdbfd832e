#include "bridge_desk.hpp"

#include <array>
#include <cstdio>
#include <random>

namespace troupe::brokerage {

namespace {

/// 128 bits: two brokers that meet do not bear the same.
std::string new_id() {
  std::random_device chance;
  std::array<char, 33> text{};
  for (std::size_t at = 0; at != 32; at += 8)
    std::snprintf(&text[at], 9, "%08x", static_cast<unsigned>(chance()));
  return {text.data(), 32};
}

} // namespace

bridge_desk::bridge_desk() : id{new_id()} {}

} // namespace troupe::brokerage
