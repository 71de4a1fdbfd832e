// onward: a publish on its way through the broker.
//
// Lives here: onward (one publish while it is being handed out), property_changes and rewritten() (what
//          a broker changes in the properties of a publish that it passes on).
// Holds:   views that live as long as the call that hands the publish out. The message is kept at most
//          once, by the first session that has to wait for it.
// Threads: belongs to one shard.
// Costs:   nothing when nothing changes; else one walk over the properties, into a buffer that is used
//          again.
#pragma once

#include "kept_message.hpp"

#include "../protocol/publish.hpp"
#include "../protocol/vocabulary.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace troupe::brokerage {

/// Names a session throughout the broker, as long as it lives; 0 names none.
using session_number = std::uint64_t;

struct onward {
  protocol::publish packet{};        // topic resolved, no alias, quality and retain flag of the publisher
  protocol::keeper* owner = nullptr; // keeps the payload; null: nobody does
  protocol::version form = protocol::version::v5_0; // of the publisher's connection
  session_number from = 0;                          // the publisher, for No Local
  std::uint32_t via = 0;                            // the shard that sent it here, or this one
  protocol::time_point now{};
  message_ref kept{}; // set when somebody needed it

  const message_ref& keep(message_store& store) {
    if (!kept) kept = store.keep(packet, owner, now);
    return kept;
  }
};

struct property_changes {
  bool drop_alias = false;                      // and the will delay, which is no property of a PUBLISH
  std::optional<std::uint32_t> expiry{};        // in place of the interval that stands there
  std::span<const std::uint32_t> identifiers{}; // subscription identifiers to be added
  bool any() const noexcept { return drop_alias || expiry || !identifiers.empty(); }
};

/// `from` with the changes applied, written to the beginning of `buffer`. The result lives as long as the
/// buffer stays untouched; without changes it is `from` itself.
protocol::properties_view rewritten(const protocol::properties_view& from, const property_changes& changes,
                                    std::vector<protocol::octet>& buffer);

/// Whole seconds of life that are left to a message at `now`, at least 1; none without an expiry.
std::optional<std::uint32_t> seconds_left(const kept_message& message, protocol::time_point now) noexcept;

} // namespace troupe::brokerage
