// scratch_file: a file for another program to read or write, gone with this object.
//
// Lives here: scratch_file.
// Holds:   it lies in a scratch_folder of its own, and only this user may open it.
// Errors:  is_whole() is false when it could not be made or written.
#pragma once

#include "scratch_folder.hpp"

#include <string>
#include <string_view>

namespace troupe::bench {

class scratch_file {
public:
  /// `purpose` is its name, and part of its folder's.
  explicit scratch_file(std::string_view purpose, std::string_view text = {});
  scratch_file(const scratch_file&) = delete;
  scratch_file& operator=(const scratch_file&) = delete;

  bool is_whole() const noexcept { return is_whole_; }
  const std::string& name() const noexcept { return name_; }

private:
  scratch_folder folder_;
  std::string name_{}; // empty: there is no folder for it
  bool is_whole_ = false;
};

} // namespace troupe::bench
