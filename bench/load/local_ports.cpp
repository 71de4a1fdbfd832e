#include "local_ports.hpp"

#include "whole_file.hpp"

#include <arpa/inet.h>

#include <sstream>

namespace troupe::bench {
namespace {

bool is_address(const std::string& text) {
  in6_addr any{};
  return ::inet_pton(AF_INET, text.c_str(), &any) == 1 || ::inet_pton(AF_INET6, text.c_str(), &any) == 1;
}

} // namespace

std::optional<port_range> parse_port_range(std::string_view text) {
  std::istringstream words{std::string{text}};
  port_range range;
  if (!(words >> range.first >> range.last) || range.first > range.last || range.last > 65'535)
    return std::nullopt;
  return range;
}

std::optional<port_range> local_ports() {
  return parse_port_range(text_of_file("/proc/sys/net/ipv4/ip_local_port_range"));
}

std::string misfit_of_local_ports(std::size_t connections, std::size_t sources,
                                  const std::optional<port_range>& ports) {
  const std::size_t each = (connections + sources - 1) / sources;
  if (!ports || each <= ports->count()) return {};
  return std::to_string(each) + " connections from one address want as many local ports, and there are "
         + std::to_string(ports->count()) + " (" + std::to_string(ports->first) + " to "
         + std::to_string(ports->last)
         + "); widen net.ipv4.ip_local_port_range, dial from several addresses (--ifaddr A,B), or use fewer "
           "clients";
}

std::vector<std::string> parse_addresses(std::string_view words) {
  std::vector<std::string> all;
  for (;;) {
    const auto comma = words.find(',');
    all.emplace_back(words.substr(0, comma));
    if (!is_address(all.back())) return {};
    if (comma == std::string_view::npos) return all;
    words.remove_prefix(comma + 1);
  }
}

} // namespace troupe::bench
