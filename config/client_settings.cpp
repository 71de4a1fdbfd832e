#include "client_settings.hpp"

#include "../protocol/vocabulary.hpp"

namespace troupe::config {

namespace {

constexpr std::uint64_t seconds = 1'000;
constexpr std::uint64_t longest_wire_interval = 0xFFFF'FFFFULL * seconds; // four octets of seconds

} // namespace

description client_settings::describe() {
  description all{
      .fields = {
          {.key = "broker", .where = &broker, .sentence = "Where the broker is", .letter = 'b'},
          {.key = "client_id",
           .where = &client_id,
           .sentence = "Empty: the broker assigns one",
           .letter = 'i'},
          {.key = "version",
           .where = &version,
           .sentence = "Of MQTT",
           .choices = {"5.0", "3.1.1"},
           .letter = 'V'},
          {.key = "user_name", .where = &user_name, .sentence = "Empty: none is sent", .letter = 'u'},
          {.key = "password", .where = &password, .sentence = "Empty: none is sent"},
          {.key = "clean_start",
           .where = &clean_start,
           .sentence = "Forget the session of an earlier connection"},
          {.key = "session_expiry",
           .where = &session_expiry,
           .sentence = "How long the broker keeps the session after the connection",
           .most = longest_wire_interval},
          {.key = "keep_alive",
           .where = &keep_alive,
           .sentence = "Longest silence before a ping; 0: no pings",
           .most = 65'535 * seconds},
          {.key = "connect_timeout",
           .where = &connect_timeout,
           .sentence = "From dialing to CONNACK",
           .least = 1},
          {.key = "reconnect_least",
           .where = &reconnect_least,
           .sentence = "Delay before the first new attempt",
           .least = 1},
          {.key = "reconnect_most",
           .where = &reconnect_most,
           .sentence = "Delays double up to this",
           .least = 1},
          {.key = "receive_maximum",
           .where = &receive_maximum,
           .sentence = "QoS 1 and 2 messages the broker may have on their way to us",
           .least = 1},
          {.key = "maximum_packet_size",
           .where = &maximum_packet_size,
           .sentence = "Larger packets are refused",
           .least = 64,
           .most = protocol::max_packet_size},
          {.key = "topic_alias_maximum",
           .where = &topic_alias_maximum,
           .sentence = "Topic aliases the broker may use"},
      }};
  append(all.fields, "tls.", tls.fields());
  append(all.fields, "runtime.", runtime.fields());
  return all;
}

std::vector<problem> client_settings::check() const {
  std::vector<problem> found;
  if (auto wrong = misfit_of_endpoint(broker); !wrong.empty()) found.push_back({"", 0, "broker", wrong});
  if (reconnect_most < reconnect_least)
    found.push_back({"", 0, "reconnect_most", "is less than reconnect_least"});
  if (version == "3.1.1" && user_name.empty() && !password.empty())
    found.push_back({"", 0, "password", "needs a user_name in MQTT 3.1.1 [MQTT-3.1.2-22]"});
  if (tls.cert_file.empty() != tls.key_file.empty())
    found.push_back({"", 0, "tls", "cert_file and key_file need each other"});
  return found;
}

} // namespace troupe::config
