#include "child_process.hpp"

#include <unistd.h>

#include <array>
#include <climits>

namespace troupe::bench {

child_result run_child(const std::vector<std::string>& arguments, child_errors errors) {
  background_process child{arguments, errors};
  child_result result;
  result.output = child.rest();
  result.status = child.wait();
  return result;
}

std::string own_program() {
  std::array<char, PATH_MAX> path{};
  const auto size = ::readlink("/proc/self/exe", path.data(), path.size());
  return size > 0 ? std::string{path.data(), static_cast<std::size_t>(size)} : std::string{};
}

} // namespace troupe::bench
