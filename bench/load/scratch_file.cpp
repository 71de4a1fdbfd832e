#include "scratch_file.hpp"

#include <stdlib.h>
#include <unistd.h>

#include <filesystem>
#include <system_error>

namespace troupe::bench {

scratch_file::scratch_file(std::string_view purpose, std::string_view text) {
  std::error_code problem;
  const auto folder = std::filesystem::temp_directory_path(problem);
  if (problem) return;
  std::string name = (folder / "troupe-").string();
  name.append(purpose).append("-XXXXXX");
  const int file = ::mkstemp(name.data());
  if (file < 0) return;
  name_ = std::move(name);
  is_whole_ = ::write(file, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  ::close(file);
}

scratch_file::~scratch_file() {
  if (!name_.empty()) ::unlink(name_.c_str());
}

} // namespace troupe::bench
