// scratch_folder: a place for what a test keeps on disk; it goes with the object, and all that lies in it.
//
// Lives here: scratch_folder; scratch_file, a path in a folder of its own.
// Errors:  fail the test.
#pragma once

#include <gtest/gtest.h>

#include <cerrno>
#include <filesystem>
#include <string>
#include <system_error>

#include <stdlib.h>

namespace troupe::test {

class scratch_folder {
public:
  scratch_folder() {
    std::string name = (std::filesystem::temp_directory_path() / "troupe-").string();
    name.append(6, 'X'); // the place of what makes it unique
    if (::mkdtemp(name.data()) != nullptr)
      path_ = name;
    else
      ADD_FAILURE() << "no folder " << name << ": " << std::generic_category().message(errno);
  }
  ~scratch_folder() {
    std::error_code ignored;
    if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
  }
  scratch_folder(const scratch_folder&) = delete;
  scratch_folder& operator=(const scratch_folder&) = delete;

  std::string path() const { return path_.string(); }
  /// Where a file of this name lies, whether there is one or not.
  std::string file(const std::string& name) const { return (path_ / name).string(); }

private:
  std::filesystem::path path_;
};

class scratch_file {
public:
  explicit scratch_file(const std::string& name) : path_{folder_.file(name)} {}

  const std::string& path() const noexcept { return path_; }
  operator const std::string&() const noexcept { return path_; } // NOLINT: it stands for its path

private:
  scratch_folder folder_;
  std::string path_;
};

} // namespace troupe::test
