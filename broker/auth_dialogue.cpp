#include "auth_dialogue.hpp"

#include "shard.hpp"

#include <utility>

namespace troupe::brokerage {

using protocol::property;
using protocol::reason_code;

namespace {

void take_step(shard& home, peer& who, protocol::properties_view said) {
  auth_answer next = who.dialogue->step(who.who(), said.binary(property::authentication_data));
  if (next.how == reason_code::continue_authentication) return who.say_auth(next); // [MQTT-4.12.0-2]
  who.dialogue.reset();
  if (protocol::is_failure(next.how)) { // [MQTT-4.12.0-4]
    home.shop().counts.logins_refused.add();
    return who.disconnect(next.how);
  }
  next.how = reason_code::success;
  if (who.session() != nullptr) return who.say_auth(next);
  who.said.auth_data = std::move(next.data); // goes with CONNACK
  who.close_input();
  home.doors().on_proof(who, reason_code::success);
}

/// One for the method that the client has named; null: nobody knows it.
std::unique_ptr<auth_dialogue> dialogue_for(shard& home, peer& who) {
  authenticator* const judge = home.shop().options.proof.get();
  return judge == nullptr ? nullptr : judge->begin(who.who(), *who.said.auth_method);
}

} // namespace

void begin_dialogue(shard& home, peer& who, protocol::properties_view said) {
  who.dialogue = dialogue_for(home, who);
  if (who.dialogue != nullptr) return take_step(home, who, said);
  home.shop().counts.logins_refused.add();
  who.disconnect(reason_code::bad_authentication_method); // [MQTT-4.12.0-1]
}

void on_auth(shard& home, peer& who, const protocol::auth& packet) {
  const bool begins = packet.reason == reason_code::reauthenticate;
  if (packet.properties.text(property::authentication_method) != who.said.auth_method) // [MQTT-4.12.1-1]
    return who.disconnect(reason_code::bad_authentication_method);
  // once is enough, and only who is in can do it again; nobody has asked for what answers nothing
  const bool is_in = who.session() != nullptr;
  if (begins ? !is_in || who.dialogue != nullptr : who.dialogue == nullptr)
    return who.disconnect(reason_code::protocol_error);
  if (begins) return begin_dialogue(home, who, packet.properties);
  take_step(home, who, packet.properties);
}

} // namespace troupe::brokerage
