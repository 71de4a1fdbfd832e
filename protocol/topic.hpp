// topic: topic names and topic filters, section 4.7.
//
// Lives here: what a name and a filter may look like, shared subscriptions taken apart, and whether one
//          filter matches one name.
// Errors:  errc::invalid_topic_name, errc::invalid_topic_filter, errc::invalid_share_name.
// Costs:   no allocation; one pass. For a filter that is matched often see compiled_filter.
#pragma once

#include "errc.hpp"
#include "result.hpp"

#include <string_view>

namespace troupe::protocol {

/// At least one, at most 65,535 octets, well-formed UTF-8 without U+0000, no wildcard.
/// Safe on texts without read_slack.
result<void> check_topic_name(std::string_view name) noexcept;
/// The same with `#` alone in the last level and `+` alone in its level; `$share/name/filter` taken
/// into account.
result<void> check_topic_filter(std::string_view filter) noexcept;

struct shared_filter {
  std::string_view share{};  // empty: not shared
  std::string_view filter{}; // what is matched
};
/// Whether the filter starts with `$share/`.
bool is_shared(std::string_view filter) noexcept;
/// Takes `$share/<share>/<filter>` apart; any other valid filter is returned with an empty share.
shared_filter split_shared(std::string_view filter) noexcept;

/// Whether the valid, unshared `filter` matches the valid `name`; a filter that starts with a
/// wildcard never matches a name that starts with `$` [MQTT-4.7.2-1].
bool matches(std::string_view filter, std::string_view name) noexcept;

bool has_wildcard(std::string_view filter) noexcept;

} // namespace troupe::protocol
