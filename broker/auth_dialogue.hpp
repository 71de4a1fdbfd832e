// auth_dialogue: enhanced authentication, section 4.12: more questions and answers than one CONNECT holds.
//
//   CONNECT with a method --step--> AUTH 0x18 --AUTH 0x18, step--> ... --> CONNACK, with the method
//   AUTH 0x19 of a client that is in --step--> AUTH 0x18 ... --> AUTH 0x00; meanwhile all else goes on
//
// Lives here: begin_dialogue, on_auth: from packets to the authenticator's auth_dialogue (access), and back.
// Holds:   every AUTH and the CONNACK that accepts say the method of the CONNECT [MQTT-4.12.0-5]; who fails is
//          told why and goes, whether it was to come in or was in already.
// Threads: plain functions, for the shard that has the peer.
// Errors:  a method that nobody knows, or another one than before: 0x8C.
#pragma once

#include "../protocol/auth.hpp"
#include "../protocol/connect.hpp"

namespace troupe::brokerage {

class peer;
class shard;

/// A CONNECT that names a method [MQTT-4.12.0-1]; shard::on_proof() follows when it leads to success.
void begin_dialogue(shard& home, peer& who, protocol::properties_view said);
/// AUTH came from a client whose CONNECT named a method.
void on_auth(shard& home, peer& who, const protocol::auth& packet);

} // namespace troupe::brokerage
