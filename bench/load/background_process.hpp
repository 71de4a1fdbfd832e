// background_process: a program that runs beside this one, and what it says first.
//
// Lives here: background_process.
// Holds:   it is sent SIGTERM and waited for when this object goes, and by the system when this process dies.
//          Its standard error goes nowhere.
// Threads: one.
// Errors:  is_running() is false when it could not be started; first_line() is empty when it said nothing.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

namespace troupe::bench {

/// What a process has used until now.
struct process_usage {
  double processor_seconds = 0; // user and system
  std::uint64_t peak_resident = 0;
};

class background_process {
public:
  /// `arguments` starts with the program, looked up in PATH.
  explicit background_process(const std::vector<std::string>& arguments);
  ~background_process();
  background_process(const background_process&) = delete;
  background_process& operator=(const background_process&) = delete;

  bool is_running() const noexcept { return child_ > 0; }
  /// Waits for a line on its standard output, or for its end.
  std::string first_line();
  process_usage usage() const;

private:
  pid_t child_ = -1;
  int output_ = -1;
};

} // namespace troupe::bench
