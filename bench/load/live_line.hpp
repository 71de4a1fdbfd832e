// live_line: one line a second on standard error while a load runs.
//
// Lives here: live_line.
// Holds:   on a terminal the line is rewritten in place; elsewhere each is a line of its own, so that logs
//          stay readable. A line costs one write a period, and nothing a message.
// Threads: one.
#pragma once

#include <chrono>
#include <string>

namespace troupe::bench {

class live_line {
public:
  /// Silent when the period is zero.
  explicit live_line(std::chrono::milliseconds period);
  ~live_line();
  live_line(const live_line&) = delete;
  live_line& operator=(const live_line&) = delete;

  bool is_due() const noexcept;
  void show(const std::string& text);

private:
  std::chrono::milliseconds period_;
  std::chrono::steady_clock::time_point next_;
  bool is_terminal_;
  bool is_dirty_ = false;
};

} // namespace troupe::bench
