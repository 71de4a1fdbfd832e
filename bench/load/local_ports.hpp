// local_ports: whether so many connections can go out from the addresses of this machine.
//
// Lives here: port_range, local_ports(), parse_port_range(), misfit_of_local_ports(), parse_addresses().
// Holds:   connections from one address to one port of one broker differ by their local port alone.
// Errors:  in words, with what to change; empty: there are enough.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace troupe::bench {

struct port_range {
  std::size_t first = 0;
  std::size_t last = 0;
  std::size_t count() const noexcept { return last - first + 1; }
};

/// "32768 60999", as the kernel writes it.
std::optional<port_range> parse_port_range(std::string_view text);
/// What the kernel takes ports from; nothing when it does not say.
std::optional<port_range> local_ports();
/// `sources` addresses take their turns.
std::string misfit_of_local_ports(std::size_t connections, std::size_t sources,
                                  const std::optional<port_range>& ports);

/// "127.0.0.2,::1": IP addresses; nothing when one of them is none.
std::vector<std::string> parse_addresses(std::string_view words);

} // namespace troupe::bench
