// wills: what a client wants to be said when it is lost, section 3.1.2.5.
//
// Lives here: keep_will, will_delay; when a waiting session is to be looked at again.
// Holds:   a will is published at the end of its delay or of its session, whichever comes first
//          [MQTT-3.1.2-8, MQTT-3.1.3-9]; not at all when the client said goodbye or came back.
// Threads: plain functions, for the shard that has the session.
#pragma once

#include "kept_message.hpp"
#include "peer_session.hpp"
#include "workshop.hpp"

#include "../protocol/connect.hpp"

#include <chrono>

namespace troupe::brokerage {

/// The will as the message that it becomes.
message_ref keep_will(const protocol::will_view& will, workshop& shop);
std::chrono::seconds will_delay(const protocol::will_view& will) noexcept;

/// The connection was lost at `now`: sets `will_due` and `ends`.
void begin_absence(peer_session& session, protocol::time_point now) noexcept;
/// The client is back: nothing is due any more.
void end_absence(peer_session& session) noexcept;
/// The next moment at which something is due; never.
protocol::time_point next_due(const peer_session& session) noexcept;

} // namespace troupe::brokerage
