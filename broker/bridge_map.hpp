// bridge_map: which topics cross a bridge, and what they are called on the other side.
//
// Lives here: bridge_direction, bridge_map.
// Holds:   a topic that fits `filter` is called local_prefix + topic here and remote_prefix + topic there.
//          Prefixes say their own slash.
// Threads: values.
// Errors:  check() answers errc::invalid_topic_filter, or invalid_share_name for $share filters, of which
//          a bridge would be only one member.
#pragma once

#include "../protocol/result.hpp"
#include "../protocol/vocabulary.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace troupe {

/// Seen from the broker that has the bridge.
enum class bridge_direction : std::uint8_t { out, in, both };

struct bridge_map {
  std::string filter = "#";
  bridge_direction direction = bridge_direction::out;
  protocol::qos maximum = protocol::qos::exactly_once; // of messages that cross
  std::string local_prefix{};
  std::string remote_prefix{};

  bool goes_out() const noexcept { return direction != bridge_direction::in; }
  bool goes_in() const noexcept { return direction != bridge_direction::out; }
  std::string local_filter() const { return local_prefix + filter; }
  std::string remote_filter() const { return remote_prefix + filter; }
  protocol::result<void> check() const;
};

namespace brokerage {

/// `topic`, which begins with `from`, with `to` in its place, in `name`. "a/#" also fits "a", which lacks
/// the slash that the prefix ends in: the new name then lacks its own. False: there is no such name.
bool rename(std::string_view topic, std::string_view from, std::string_view to, std::string& name);

} // namespace brokerage
} // namespace troupe
