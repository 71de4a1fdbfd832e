#include "bridge_map.hpp"

#include "../protocol/errc.hpp"
#include "../protocol/topic.hpp"

namespace troupe {

namespace {

protocol::result<void> check_side(const std::string& prefix, const std::string& filter) {
  using protocol::errc;
  if (prefix.find_first_of("+#") != std::string::npos) return errc::invalid_topic_filter;
  const std::string whole = prefix + filter;
  if (whole.starts_with("$share/")) return errc::invalid_share_name;
  return protocol::check_topic_filter(whole);
}

} // namespace

protocol::result<void> bridge_map::check() const {
  if (auto here = check_side(local_prefix, filter); !here) return here;
  return check_side(remote_prefix, filter);
}

namespace brokerage {

bool rename(std::string_view topic, std::string_view from, std::string_view to, std::string& name) {
  if (topic.starts_with(from)) {
    name.assign(to).append(topic.substr(from.size()));
  } else if (from.ends_with('/') && topic == from.substr(0, from.size() - 1) && to.ends_with('/')) {
    name.assign(to.substr(0, to.size() - 1));
  } else {
    return false;
  }
  return protocol::check_topic_name(name).has_value();
}

} // namespace brokerage
} // namespace troupe
