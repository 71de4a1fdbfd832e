#include "access_rules.hpp"

#include <algorithm>

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

/// What a name stands for in a rule that cannot take it.
enum class odd_name : std::uint8_t { fits_nothing, fits_anything };

/// Whether `level`, of a topic or a filter, is what `asked` says with %u and %c filled in.
bool is_level(std::string_view asked, std::string_view level, const identity& who, odd_name odd) noexcept {
  for (;;) {
    const std::size_t sign = std::min(asked.find('%'), asked.size());
    if (level.substr(0, sign) != asked.substr(0, sign)) return false;
    asked.remove_prefix(sign);
    level.remove_prefix(sign);
    if (asked.empty()) return level.empty();
    std::string_view said = asked.substr(0, 1);
    const std::string_view two = asked.substr(0, 2);
    const bool is_name = two == "%u" || two == "%c";
    if (is_name) said = two == "%u" ? who.user_name.value_or(std::string_view{}) : who.client_id;
    if (is_name && !is_plain_level(said)) return odd == odd_name::fits_anything;
    if (!level.starts_with(said)) return false;
    asked.remove_prefix(is_name ? 2 : 1);
    level.remove_prefix(said.size());
  }
}

/// A wildcard in front never matches what begins with $ [MQTT-4.7.2-1].
bool are_apart(std::string_view one, std::string_view other) noexcept {
  return other.starts_with('$') && (one.starts_with('+') || one.starts_with('#'));
}

} // namespace

bool covers(std::string_view rule, std::string_view filter, const identity& who) noexcept {
  if (are_apart(rule, filter)) return false;
  for (bool rule_ends = false, filter_ends = false;;) {
    const std::string_view asked = take_level(rule, rule_ends);
    if (asked == "#") return true;
    const std::string_view said = take_level(filter, filter_ends);
    if (said == "#" || (asked != "+" && !is_level(asked, said, who, odd_name::fits_nothing))) return false;
    if (filter_ends) return rule_ends || rule == "#";
    if (rule_ends) return false;
  }
}

bool overlaps(std::string_view rule, std::string_view filter, const identity& who) noexcept {
  if (are_apart(rule, filter) || are_apart(filter, rule)) return false;
  for (bool rule_ends = false, filter_ends = false;;) {
    const std::string_view asked = take_level(rule, rule_ends);
    const std::string_view said = take_level(filter, filter_ends);
    if (asked == "#" || said == "#") return true;
    if (asked != "+" && said != "+" && !is_level(asked, said, who, odd_name::fits_anything)) return false;
    if (rule_ends || filter_ends)
      return (rule_ends && filter_ends) || (filter_ends && rule == "#") || (rule_ends && filter == "#");
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
  bool is_allowed = rules_.empty() || allows_the_rest_;
  for (const access_rule& rule : rules_) {
    if (!speaks_of(rule, who, what)) continue;
    const bool forbids = rule.forbids || (!rule.may_publish && !rule.may_subscribe);
    if (!(forbids ? overlaps(rule.topic, topic, who) : covers(rule.topic, topic, who))) continue;
    is_allowed = !forbids;
    break;
  }
  return is_allowed ? reason_code::success : reason_code::not_authorized;
}

bool access_rules::speaks_of(const access_rule& rule, const identity& who, deed what) {
  const bool is_of_both = !rule.may_publish && !rule.may_subscribe;
  if (!is_of_both && !(what == deed::publish ? rule.may_publish : rule.may_subscribe)) return false;
  if (rule.user != "*" && rule.user != who.user_name.value_or(std::string_view{})) return false;
  return rule.client_id == "*" || rule.client_id == who.client_id;
}

} // namespace troupe::brokerage
