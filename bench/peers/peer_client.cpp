#include "peer_client.hpp"

namespace troupe::bench {

std::unique_ptr<peer_client> make_peer(std::string_view name) {
  if (name == "troupe") return peers::make_troupe();
  if (name == "libmosquitto") return peers::make_mosquitto();
  if (name == "paho") return peers::make_paho();
  return nullptr;
}

std::vector<std::string> peer_names() {
  std::vector<std::string> names{"troupe"};
  for (const char* other : {"libmosquitto", "paho"})
    if (make_peer(other)) names.emplace_back(other);
  return names;
}

} // namespace troupe::bench
