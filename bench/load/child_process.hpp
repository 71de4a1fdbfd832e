// child_process: runs a program to its end and reads what it prints.
//
// Lives here: run_child(), own_program().
// Holds:   as background_process: nothing is left of it, however this program ends. Standard output is collected.
// Errors:  a program that cannot be started has status 127 and no output.
#pragma once

#include "background_process.hpp"

#include <string>
#include <vector>

namespace troupe::bench {

struct child_result {
  int status = 127; // exit status; 128 + signal when killed
  std::string output{};
};

/// `arguments` starts with the program, looked up in PATH.
child_result run_child(const std::vector<std::string>& arguments, child_errors errors);

/// The path of the program that is running.
std::string own_program();

} // namespace troupe::bench
