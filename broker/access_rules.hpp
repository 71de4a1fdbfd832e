// access_rules: who may do what, as settings say it.
//
// Lives here: access_rule, access_rules (the access that asks a list of them).
// Holds:   the first rule that fits decides; when there are rules and none fits, the default does. A rule
//          fits when user, client, topic and what is to be done do; one that speaks of neither deed forbids
//          both. A subscription fits a rule that allows when the rule's topic covers all that its filter can
//          match, and one that forbids when some topic matches both: nobody gets by "#" what is forbidden.
//          %u and %c in a topic stand for user name and client id; a name with a wildcard or a level
//          separator in it fits no rule that allows, and is any level to a rule that forbids.
// Threads: a value that nobody changes: to be asked by all shards at once.
// Costs:   a walk over the rules; no allocation.
#pragma once

#include "access.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace troupe::brokerage {

struct access_rule {
  std::string user = "*";      // "*": everybody, "": those without a name
  std::string client_id = "*"; // "*": every client
  std::string topic = "#";
  bool may_publish = false; // what the rule speaks of; neither: both, and it forbids them
  bool may_subscribe = false;
  bool forbids = false;
};

/// Whether `rule` matches every topic that `filter` matches.
bool covers(std::string_view rule, std::string_view filter, const identity& who = {}) noexcept;
/// Whether some topic matches both.
bool overlaps(std::string_view rule, std::string_view filter, const identity& who = {}) noexcept;

class access_rules final : public access {
public:
  access_rules(bool anonymous, std::vector<access_rule> rules, bool allows_the_rest = false)
      : allows_anonymous_{anonymous}, allows_the_rest_{allows_the_rest}, rules_{std::move(rules)} {}

  protocol::reason_code may_connect(const identity& who,
                                    std::optional<protocol::octets> password) const override;
  protocol::reason_code may_publish(const identity& who, std::string_view topic) const override;
  protocol::reason_code may_subscribe(const identity& who, std::string_view filter) const override;

private:
  enum class deed : std::uint8_t { publish, subscribe };

  protocol::reason_code judge(const identity& who, std::string_view topic, deed what) const;
  static bool speaks_of(const access_rule& rule, const identity& who, deed what);

  bool allows_anonymous_;
  bool allows_the_rest_; // what no rule fits; where there are rules
  std::vector<access_rule> rules_;
};

} // namespace troupe::brokerage
