// web_options: what a WebSocket client may add to the request that opens it.
//
// Lives here: web_header.
// Threads: a value.
#pragma once

#include <string>

namespace troupe {

struct web_header {
  std::string name{};
  std::string value{};
  friend bool operator==(const web_header&, const web_header&) = default;
};

} // namespace troupe
