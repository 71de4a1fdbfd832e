// bridge_trail: where a message has been, so that it does not go there again.
//
// Lives here: bridge_trail.
// Holds:   each bridge adds, as a user property, the broker that a message leaves; a message is not carried
//          to or from a broker that it has left before. A remote broker that does not say who it is stands as
//          "in <our id>": a message enters a broker by such bridges once. So a message comes to rest whatever
//          rings of bridges there are. MQTT 3.1.1 cannot say it.
// Threads: values.
// Costs:   a walk over the user properties of a message; most have none.
#pragma once

#include "../protocol/properties.hpp"

#include <cstdint>
#include <string>

namespace troupe::brokerage {

class bridge_trail {
public:
  /// Past so many brokers a message goes no further.
  static constexpr std::size_t longest = 32;

  /// `from`: the broker that messages leave; `to`: the one they go to, empty while it is not known. `mark` is
  /// added to what is carried.
  bridge_trail(std::string from, std::string to, std::string mark)
      : from_{std::move(from)}, to_{std::move(to)}, mark_{std::move(mark)} {}

  /// Of what a broker called `own` says to one called `remote`, which may be unknown.
  static bridge_trail outward(const std::string& own, const std::string& remote);
  /// Of what it hears from there.
  static bridge_trail inward(const std::string& own, const std::string& remote);

  bool may_pass(protocol::properties_view properties) const noexcept;
  /// What a message bears on the other side: what is said by one connection alone stays behind.
  void mark(protocol::properties_view properties, protocol::property_block& onward) const;

private:
  std::string from_;
  std::string to_;
  std::string mark_;
};

} // namespace troupe::brokerage
