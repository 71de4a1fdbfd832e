// descriptors: whether this process may open as many connections as it is going to.
//
// Lives here: misfit_of_descriptors().
// Holds:   the soft limit is raised to the hard one when more are needed.
// Errors:  in words, with what to change; empty: there are enough.
#pragma once

#include <cstddef>
#include <string>

namespace troupe::bench {

/// `connections` sockets, beside what every process needs.
std::string misfit_of_descriptors(std::size_t connections);

} // namespace troupe::bench
