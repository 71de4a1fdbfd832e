#include "descriptors.hpp"

#include <sys/resource.h>

namespace troupe::bench {
namespace {
constexpr std::size_t reserve = 128; // files, workers, libraries
} // namespace

std::string misfit_of_descriptors(std::size_t connections) {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return {};
  const rlim_t needed = connections + reserve;
  if (limit.rlim_cur >= needed) return {};
  if (limit.rlim_max >= needed) {
    limit.rlim_cur = limit.rlim_max;
    if (::setrlimit(RLIMIT_NOFILE, &limit) == 0) return {};
  }
  return std::to_string(connections) + " connections want " + std::to_string(needed)
         + " open files, and this process may have " + std::to_string(limit.rlim_max)
         + "; raise the hard limit (ulimit -Hn, or LimitNOFILE of the service), or use fewer clients";
}

} // namespace troupe::bench
