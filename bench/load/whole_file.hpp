// whole_file: files that are read or written as a whole.
//
// Lives here: text_of_file(), write_file().
// Errors:  a file that cannot be read has no text; one that cannot be written is named on standard error.
#pragma once

#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>

namespace troupe::bench {

inline std::string text_of_file(const std::string& name) {
  std::ifstream input{name, std::ios::binary};
  return {std::istreambuf_iterator<char>{input}, {}};
}

/// Has `write` write to the file; answers whether all of it is there.
template <class Write>
bool write_file(const std::string& name, Write write) {
  std::ofstream out{name};
  write(out);
  if (out.flush()) return true;
  std::fprintf(stderr, "troupe-bench: %s could not be written\n", name.c_str());
  return false;
}

} // namespace troupe::bench
