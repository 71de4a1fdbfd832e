// message: what a handler receives, and what may be kept of it.
//
// Lives here: message, the user's view of one PUBLISH.
// Holds:   a message passed to a handler is a view into the receive buffer, valid during the call; a
//          copy of it stays valid as long as the copy lives (it shares the buffer, one count).
// Costs:   passing it on costs nothing, copying it one counted reference; clone() copies the bytes so
//          that a small message does not hold a large buffer.
#pragma once

#include "../protocol/publish.hpp"
#include "../protocol/slice.hpp"

#include <optional>
#include <string_view>

namespace troupe {

using protocol::qos;

class message {
public:
  message(const protocol::publish& packet, protocol::keeper* owner) noexcept
      : packet_{packet}, borrowed_{owner} {}
  message(const message& other) noexcept
      : packet_{other.packet_},
        kept_{other.borrowed_ ? protocol::keeper_ref{other.borrowed_} : other.kept_} {}
  message& operator=(const message& other) noexcept {
    packet_ = other.packet_;
    kept_ = other.borrowed_ ? protocol::keeper_ref{other.borrowed_} : other.kept_;
    borrowed_ = nullptr;
    return *this;
  }

  std::string_view topic() const noexcept { return packet_.topic; }
  protocol::octets payload() const noexcept { return packet_.payload; }
  std::string_view text() const noexcept { return protocol::as_text(packet_.payload); }
  troupe::qos quality() const noexcept { return packet_.quality; }
  bool retained() const noexcept { return packet_.retain; }
  bool duplicate() const noexcept { return packet_.dup; }
  const protocol::properties_view& properties() const noexcept { return packet_.properties; }
  /// A copy with bytes of its own.
  message clone() const;

private:
  protocol::publish packet_;
  protocol::keeper_ref kept_;
  protocol::keeper* borrowed_ = nullptr; // set only in the object a handler receives
};

} // namespace troupe
