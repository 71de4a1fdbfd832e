// topic_alias: alias tables of one connection, one for each direction, MQTT 5.0 section 3.3.2.3.4.
//
// Lives here: inbound_aliases (the peer's choice), outbound_aliases (ours: least recently used goes).
// Holds:   both die with the connection [MQTT-3.3.2-7 ff.]; texts are copied, since the frame goes.
// Threads: one connection's.
// Errors:  errc::topic_alias_invalid: 0, above the maximum, or never set.
// Costs:   nothing before first use; resolving is one look-up. Outbound: a hash and a probe or two; an
//          allocation only while the table fills or a longer topic takes a place.
#pragma once

#include "result.hpp"
#include "vocabulary.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace troupe::protocol {

class inbound_aliases {
public:
  /// `maximum` is what we announced; 0 = aliases are refused.
  explicit inbound_aliases(std::uint16_t maximum = 0) noexcept : maximum_{maximum} {}
  /// The topic meant by a publish with `alias` (not 0) and `topic` (may be empty). The answer lives
  /// until the alias is set anew.
  result<std::string_view> resolve(std::uint16_t alias, std::string_view topic);

private:
  std::vector<std::string> topics_; // index = alias - 1
  std::uint16_t maximum_;
};

class outbound_aliases {
public:
  /// `maximum` is the smaller of what the peer takes and what we want; 0 = off.
  explicit outbound_aliases(std::uint16_t maximum = 0) noexcept : maximum_{maximum} {}

  struct choice {
    std::uint16_t alias = 0; // 0 = send without
    bool known = false;      // the peer knows it: the topic is left out
  };
  /// The alias under which `topic` is sent now. Must be followed by that sending, or by forget().
  choice pick(std::string_view topic);
  /// The publish of pick() was not sent after all.
  void forget(std::uint16_t alias) noexcept;

private:
  struct place {
    std::string topic;
    std::uint64_t hash = 0;
    std::uint16_t newer = 0; // neighbours in order of use, 0 = none; index = alias - 1
    std::uint16_t older = 0;
    std::uint16_t next = 0; // in the same bucket
    bool told = false;      // the peer has seen topic and alias together
  };
  place& at(std::uint16_t alias) noexcept { return places_[alias - 1U]; }
  std::uint16_t find(std::string_view topic, std::uint64_t hash) noexcept;
  std::uint16_t take_place();
  void enter(std::uint16_t alias, std::string_view topic, std::uint64_t hash);
  void leave_bucket(std::uint16_t alias) noexcept;
  void to_front(std::uint16_t alias) noexcept;
  void leave_order(std::uint16_t alias) noexcept;
  std::uint16_t& bucket(std::uint64_t hash) noexcept { return buckets_[hash & (buckets_.size() - 1)]; }

  std::vector<place> places_;
  std::vector<std::uint16_t> buckets_; // a power of two
  std::uint16_t newest_ = 0;
  std::uint16_t oldest_ = 0;
  std::uint16_t maximum_;
};

} // namespace troupe::protocol
