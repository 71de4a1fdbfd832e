// background_process: a program that this one starts, what it prints, and how it ended.
//
// Lives here: child_errors, process_usage, background_process.
// Holds:   it reads nothing, no signal is held back, and an interrupt at the terminal does not reach it.
//          It is sent SIGTERM when this object or the thread that started it goes, however that comes about.
// Threads: one, which outlives it.
// Errors:  is_running() is false when it could not be started; one that cannot be executed ends at once with
//          status 127. first_line() is empty when it said nothing.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace troupe::bench {

/// Where its standard error goes: where ours does, nowhere, or the way of its standard output.
enum class child_errors : std::uint8_t { shown, hidden, collected };

/// What a process has used until now.
struct process_usage {
  double processor_seconds = 0; // user and system
  std::uint64_t peak_resident = 0;
};

class background_process {
public:
  /// `arguments` starts with the program, looked up in PATH.
  explicit background_process(const std::vector<std::string>& arguments,
                              child_errors errors = child_errors::hidden);
  ~background_process();
  background_process(const background_process&) = delete;
  background_process& operator=(const background_process&) = delete;

  /// Until wait() has answered.
  bool is_running() const noexcept { return child_ > 0; }
  /// Waits for a line of it, or for its end.
  std::string first_line();
  /// Waits for a line with this word in it; false: it ended, or was silent for so long.
  bool says(std::string_view word, std::chrono::milliseconds patience);
  /// Everything that it still says until its end.
  std::string rest();
  /// Waits for its end: the exit status; 128 + n when signal n killed it; 127: it was never there.
  int wait();
  process_usage usage() const;

private:
  pid_t child_ = -1;
  int output_ = -1;
};

} // namespace troupe::bench
