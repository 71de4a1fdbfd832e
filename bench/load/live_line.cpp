#include "live_line.hpp"

#include <unistd.h>

#include <cstdio>

namespace troupe::bench {

live_line::live_line(std::chrono::milliseconds period)
    : period_{period},
      next_{std::chrono::steady_clock::now() + period},
      is_terminal_{::isatty(STDERR_FILENO) == 1} {}

live_line::~live_line() {
  if (is_dirty_) std::fputs("\r\033[K", stderr);
}

bool live_line::is_due() const noexcept {
  return period_.count() > 0 && std::chrono::steady_clock::now() >= next_;
}

void live_line::show(const std::string& text) {
  if (period_.count() <= 0) return;
  next_ = std::chrono::steady_clock::now() + period_;
  std::fprintf(stderr, is_terminal_ ? "\r\033[K%s" : "%s\n", text.c_str());
  std::fflush(stderr);
  is_dirty_ = is_terminal_;
}

} // namespace troupe::bench
