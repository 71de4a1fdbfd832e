// progress: one live line on standard error that says what is going on.
//
// Lives here: progress.
// Holds:   on a terminal the line is rewritten in place; elsewhere each row is one line, so that logs
//          stay readable. Nothing is written while a burst is being timed.
// Threads: one.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace troupe::bench {

class progress {
public:
  /// Silent when `is_wanted` is false.
  progress(std::size_t rows, bool is_wanted);
  ~progress();
  progress(const progress&) = delete;
  progress& operator=(const progress&) = delete;

  /// The next row begins.
  void begin(std::string_view row);
  /// What is being done for it.
  void step(std::string_view what);
  /// How it ended.
  void end(std::string_view how);

private:
  void rewrite(const std::string& text);

  std::size_t rows_;
  std::size_t current_ = 0;
  bool is_wanted_;
  bool is_terminal_;
  bool is_dirty_ = false; // something of ours stands in the terminal's last line
  std::string row_;
};

} // namespace troupe::bench
