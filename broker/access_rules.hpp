// access_rules: who may do what, as settings say it.
//
// Lives here: access_rule, access_rules (the access that asks a list of them).
// Holds:   the first rule that fits decides; when there are rules and none fits, the answer is no. A rule
//          fits when user, client, topic and what is to be done do; one that allows nothing fits whatever
//          is to be done. A subscription fits when the rule's topic covers all that its filter can match.
//          %u and %c in a topic stand for user name and client id; a name with a wildcard or a level
//          separator in it fits no such rule.
// Threads: a value that nobody changes: to be asked by all shards at once.
// Costs:   a walk over the rules.
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
  bool may_publish = false;
  bool may_subscribe = false;
};

/// Whether `rule` matches every topic that `filter` matches.
bool covers(std::string_view rule, std::string_view filter) noexcept;

class access_rules final : public access {
public:
  access_rules(bool anonymous, std::vector<access_rule> rules)
      : allows_anonymous_{anonymous}, rules_{std::move(rules)} {}

  protocol::reason_code may_connect(const identity& who,
                                    std::optional<protocol::octets> password) const override;
  protocol::reason_code may_publish(const identity& who, std::string_view topic) const override;
  protocol::reason_code may_subscribe(const identity& who, std::string_view filter) const override;

private:
  enum class deed : std::uint8_t { publish, subscribe };

  protocol::reason_code judge(const identity& who, std::string_view topic, deed what) const;
  static bool fits(const access_rule& rule, const identity& who, std::string_view topic, deed what);

  bool allows_anonymous_;
  std::vector<access_rule> rules_;
};

} // namespace troupe::brokerage
