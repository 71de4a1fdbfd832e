// scratch_file: a path for a file that a test makes; what lies there goes with it.
#pragma once

#include <filesystem>
#include <string>
#include <system_error>

#include <stdlib.h>

namespace troupe::test {

class scratch_file {
public:
  explicit scratch_file(const std::string& name) {
    std::string folder = (std::filesystem::temp_directory_path() / "troupe-XXXXXX").string();
    if (mkdtemp(folder.data()) != nullptr) folder_ = folder;
    path_ = (folder_ / name).string();
  }
  ~scratch_file() {
    std::error_code ignored;
    if (!folder_.empty()) std::filesystem::remove_all(folder_, ignored);
  }
  scratch_file(const scratch_file&) = delete;
  scratch_file& operator=(const scratch_file&) = delete;

  const std::string& path() const noexcept { return path_; }
  operator const std::string&() const noexcept { return path_; } // NOLINT: it stands for its path

private:
  std::filesystem::path folder_;
  std::string path_;
};

} // namespace troupe::test
