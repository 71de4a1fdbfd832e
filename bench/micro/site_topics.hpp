// site_topics: the topics of the delivery and subscription workloads.
//
// Lives here: append_site_topics().
// Holds:   pubP/building1..n/level1..n/sensor1.., where n is the whole part of the cube root of how many
//          topics a publisher has; numbers of places begin at 1, publishers at 0; in generator order, cut
//          at the requested count. One or five topics: building1/level1/sensor1..5; 10,000: 21 x 21 x 23.
// Threads: any.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace troupe::bench {

inline std::size_t whole_cube_root(std::size_t of) noexcept {
  std::size_t root = 1;
  while ((root + 1) * (root + 1) * (root + 1) <= of) ++root;
  return root;
}

inline void append_site_topics(std::vector<std::string>& to, std::size_t publisher, std::size_t count) {
  const std::size_t n = whole_cube_root(count);
  const std::size_t sensors = 1 + count / (n * n);
  const std::size_t end = to.size() + count;
  for (std::size_t building = 1; building <= n; ++building)
    for (std::size_t level = 1; level <= n; ++level)
      for (std::size_t sensor = 1; sensor <= sensors; ++sensor) {
        if (to.size() == end) return;
        to.push_back("pub" + std::to_string(publisher) + "/building" + std::to_string(building) + "/level"
                     + std::to_string(level) + "/sensor" + std::to_string(sensor));
      }
}

} // namespace troupe::bench
