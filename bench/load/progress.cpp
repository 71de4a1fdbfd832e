#include "progress.hpp"

#include <unistd.h>

#include <cstdio>

namespace troupe::bench {

progress::progress(std::size_t rows, bool is_wanted)
    : rows_{rows}, is_wanted_{is_wanted}, is_terminal_{::isatty(STDERR_FILENO) == 1} {}

progress::~progress() {
  if (is_dirty_) std::fputs("\r\033[K", stderr);
}

void progress::rewrite(const std::string& text) {
  std::fprintf(stderr, "\r\033[K%s", text.c_str());
  std::fflush(stderr);
  is_dirty_ = true;
}

void progress::begin(std::string_view row) {
  ++current_;
  row_ = '[' + std::to_string(current_) + '/' + std::to_string(rows_) + "] " + std::string{row};
  if (is_wanted_ && is_terminal_) rewrite(row_);
}

void progress::step(std::string_view what) {
  if (is_wanted_ && is_terminal_) rewrite(row_ + "  " + std::string{what});
}

void progress::end(std::string_view how) {
  if (!is_wanted_) return;
  if (is_terminal_)
    rewrite(row_ + "  " + std::string{how});
  else
    std::fprintf(stderr, "%s  %s\n", row_.c_str(), std::string{how}.c_str());
}

} // namespace troupe::bench
