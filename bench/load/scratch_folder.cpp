#include "scratch_folder.hpp"

#include <stdlib.h>

#include <filesystem>
#include <system_error>
#include <utility>

namespace troupe::bench {

scratch_folder::scratch_folder(std::string_view purpose) {
  std::error_code problem;
  const auto where = std::filesystem::temp_directory_path(problem);
  if (problem) return;
  std::string path = (where / "troupe-").string();
  path.append(purpose).append(1, '-').append(6, 'X'); // the place of what makes it unique
  if (::mkdtemp(path.data()) != nullptr) path_ = std::move(path);
}

scratch_folder::~scratch_folder() {
  std::error_code ignored;
  if (is_made()) std::filesystem::remove_all(path_, ignored);
}

std::string scratch_folder::file(std::string_view name) const {
  return (std::filesystem::path{path_} / name).string();
}

} // namespace troupe::bench
