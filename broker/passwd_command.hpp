// passwd_command: `troupe-broker passwd`, which makes entries of a password file.
//
// Lives here: passwd_command.
// Holds:   a password never stands among the arguments. On a terminal it is asked for twice, unseen; else
//          it is the first line of the input.
// Threads: a program's main thread.
// Errors:  0 done, 1 the system refused, 2 wrong arguments, said on `errors`.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

namespace troupe::brokerage {

/// `arguments` behind "passwd": [--delete] FILE USER. `terminal` is where a person types, or -1.
int passwd_command(const std::vector<std::string>& arguments, std::istream& input, std::ostream& errors,
                   int terminal);

} // namespace troupe::brokerage
