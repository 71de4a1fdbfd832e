#include "access_rules.hpp"

#include "../protocol/topic.hpp"

#include <utility>

namespace troupe::brokerage {

using protocol::reason_code;

namespace {

/// The first level of `rest`, which loses it; `is_last` when nothing follows.
std::string_view take_level(std::string_view& rest, bool& is_last) noexcept {
  const std::size_t end = rest.find('/');
  is_last = end == std::string_view::npos;
  const std::string_view level = rest.substr(0, end);
  rest.remove_prefix(is_last ? rest.size() : end + 1);
  return level;
}

bool is_plain_level(std::string_view name) noexcept {
  return !name.empty() && name.find_first_of("/+#") == std::string_view::npos;
}

/// `topic` with %u and %c filled in; empty when it cannot be.
std::string filled_in(std::string_view topic, const identity& who) {
  std::string made;
  for (std::size_t at = 0; at < topic.size(); ++at) {
    const std::string_view two = topic.substr(at, 2);
    if (two != "%u" && two != "%c") {
      made += topic[at];
      continue;
    }
    const std::string_view name = two == "%u" ? who.user_name.value_or(std::string_view{}) : who.client_id;
    if (!is_plain_level(name)) return {};
    made += name;
    ++at;
  }
  return made;
}

} // namespace

bool covers(std::string_view rule, std::string_view filter) noexcept {
  if (filter.starts_with('$') && (rule.starts_with('+') || rule.starts_with('#'))) return false;
  for (bool rule_ends = false, filter_ends = false;;) {
    const std::string_view asked = take_level(rule, rule_ends);
    if (asked == "#") return true;
    const std::string_view said = take_level(filter, filter_ends);
    if (said == "#" || (asked != "+" && asked != said)) return false;
    if (filter_ends) return rule_ends || rule == "#";
    if (rule_ends) return false;
  }
}

reason_code access_rules::may_connect(const identity& who, std::optional<protocol::octets>) const {
  return allows_anonymous_ || who.user_name ? reason_code::success : reason_code::not_authorized;
}

reason_code access_rules::may_publish(const identity& who, std::string_view topic) const {
  return judge(who, topic, deed::publish);
}

reason_code access_rules::may_subscribe(const identity& who, std::string_view filter) const {
  return judge(who, filter, deed::subscribe);
}

reason_code access_rules::judge(const identity& who, std::string_view topic, deed what) const {
  if (rules_.empty()) return reason_code::success;
  for (const access_rule& rule : rules_) {
    if (!fits(rule, who, topic, what)) continue;
    return rule.may_publish || rule.may_subscribe ? reason_code::success : reason_code::not_authorized;
  }
  return reason_code::not_authorized;
}

bool access_rules::fits(const access_rule& rule, const identity& who, std::string_view topic, deed what) {
  const bool allows_nothing = !rule.may_publish && !rule.may_subscribe;
  const bool allows_deed = what == deed::publish ? rule.may_publish : rule.may_subscribe;
  if (!allows_nothing && !allows_deed) return false;
  if (rule.user != "*" && rule.user != who.user_name.value_or(std::string_view{})) return false;
  if (rule.client_id != "*" && rule.client_id != who.client_id) return false;
  const std::string filter = filled_in(rule.topic, who);
  if (filter.empty()) return false;
  return what == deed::publish ? protocol::matches(filter, topic) : covers(filter, topic);
}

} // namespace troupe::brokerage
