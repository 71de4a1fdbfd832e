// scratch_folder: a folder for files of this or another program, gone with this object and all that is in it.
//
// Lives here: scratch_folder.
// Holds:   it lies where the system keeps temporary files (TMPDIR, else /tmp), under a name that nobody
//          else has, and only this user may look into it.
// Errors:  is_made() is false when it could not be made.
#pragma once

#include <string>
#include <string_view>

namespace troupe::bench {

class scratch_folder {
public:
  /// `purpose` is part of its name.
  explicit scratch_folder(std::string_view purpose);
  ~scratch_folder();
  scratch_folder(const scratch_folder&) = delete;
  scratch_folder& operator=(const scratch_folder&) = delete;

  bool is_made() const noexcept { return !path_.empty(); }
  /// Where a file of this name would lie.
  std::string file(std::string_view name) const;

private:
  std::string path_{}; // empty: there is none
};

} // namespace troupe::bench
