// runtime_settings: how many workers, and what they do when idle. A part of other settings.
#pragma once

#include "field.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace troupe::config {

struct runtime_settings {
  std::uint32_t workers = 1;      // 0: as many as cores, at most 4
  std::string wake = "automatic"; // automatic | yield | spin | plain, see runtime/stage.hpp

  std::vector<field> fields();
  friend bool operator==(const runtime_settings&, const runtime_settings&) = default;
};

} // namespace troupe::config
