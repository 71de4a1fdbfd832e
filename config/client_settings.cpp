#include "client_settings.hpp"

#include "../protocol/utf8.hpp"
#include "../protocol/vocabulary.hpp"

#include <algorithm>
#include <utility>

namespace troupe::config {

namespace {

constexpr std::uint64_t seconds = 1'000;
constexpr std::uint64_t longest_wire_interval = 0xFFFF'FFFFULL * seconds; // four octets of seconds
constexpr std::uint64_t most_pending = std::uint64_t{1} << 20U;
constexpr std::uint64_t largest_socket_buffer = 0x3FFF'FFFF; // the system doubles it in an int

bool is_whole_seconds(std::chrono::milliseconds time) noexcept { return time.count() % 1'000 == 0; }

/// "Name: value", as text that MQTT can say.
bool is_property(const std::string& line) noexcept {
  const auto colon = line.find(':');
  return colon != std::string::npos && line.size() <= 65'535
         && protocol::is_text_exact(protocol::as_octets(std::string_view{line}));
}

/// "Name: value", and nothing that would end the line.
bool is_header(const std::string& line) noexcept {
  const auto colon = line.find(':');
  return colon != std::string::npos && colon != 0 && line.find_first_of("\r\n") == std::string::npos;
}

} // namespace

std::vector<field> will_settings::fields() {
  return {
      {.key = "topic", .where = &topic, .sentence = "Where the broker says our will; empty: there is none"},
      {.key = "payload", .where = &payload, .sentence = "What it says"},
      {.key = "qos", .where = &qos, .sentence = "Of the will", .most = 2},
      {.key = "retain", .where = &retain, .sentence = "Whether the will is kept for later subscribers"},
      {.key = "delay",
       .where = &delay,
       .sentence = "How long the broker waits for us to come back, in 5.0",
       .most = longest_wire_interval},
  };
}

std::vector<field> socket_settings::fields() {
  return {
      {.key = "no_delay", .where = &no_delay, .sentence = "Send at once instead of waiting for more"},
      {.key = "keep_alive", .where = &keep_alive, .sentence = "The system's probes of a silent peer"},
      {.key = "send_buffer",
       .where = &send_buffer,
       .sentence = "Of the system; 0: its own choice",
       .most = largest_socket_buffer},
      {.key = "receive_buffer",
       .where = &receive_buffer,
       .sentence = "Of the system; 0: its own choice",
       .most = largest_socket_buffer},
      {.key = "family",
       .where = &family,
       .sentence = "Which addresses of a host are tried",
       .choices = {"any", "v4", "v6"}},
      {.key = "local_address",
       .where = &local_address,
       .sentence = "Address of this machine to dial from; empty: the system chooses"},
  };
}

std::vector<field> client_settings::identity() {
  return {
      {.key = "broker", .where = &broker, .sentence = "Where the broker is", .letter = 'b'},
      {.key = "more_brokers", .where = &more_brokers, .sentence = "Tried in turn after it"},
      {.key = "client_id", .where = &client_id, .sentence = "Empty: the broker assigns one", .letter = 'i'},
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
      {.key = "session_file",
       .where = &session_file,
       .sentence = "Where the session outlives the program; empty: it does not"},
      {.key = "user_properties",
       .where = &user_properties,
       .sentence = "What CONNECT says of us in 5.0, each as 'Name: value'"},
      {.key = "keep_alive",
       .where = &keep_alive,
       .sentence = "Longest silence before a ping; 0: no pings",
       .most = 65'535 * seconds},
  };
}

std::vector<field> client_settings::time() {
  return {
      {.key = "connect_timeout",
       .where = &connect_timeout,
       .sentence = "Longest time to dial one broker",
       .least = 1},
      {.key = "connack_timeout",
       .where = &connack_timeout,
       .sentence = "Longest wait for its answer to CONNECT",
       .least = 1},
      {.key = "ping_timeout", .where = &ping_timeout, .sentence = "Longest wait for PINGRESP", .least = 1},
      {.key = "disconnect_timeout",
       .where = &disconnect_timeout,
       .sentence = "Longest time of an orderly end",
       .least = 1},
      {.key = "reconnect", .where = &reconnect, .sentence = "Whether lost connections are dialled again"},
      {.key = "reconnect_least",
       .where = &reconnect_least,
       .sentence = "Delay before the first new attempt",
       .least = 1},
      {.key = "reconnect_most", .where = &reconnect_most, .sentence = "Delays double up to this", .least = 1},
      {.key = "stable_after",
       .where = &stable_after,
       .sentence = "A connection that stood so long makes delays begin anew"},
      {.key = "attempts_limit",
       .where = &attempts_limit,
       .sentence = "Failed attempts in a row before giving up; 0: never"},
      {.key = "dial_at_once", .where = &dial_at_once, .sentence = "Whether the client dials by itself"},
      {.key = "redirects_limit",
       .where = &redirects_limit,
       .sentence = "How often in a row a broker may send us on to another one; 0: nobody is followed"},
  };
}

std::vector<field> client_settings::amounts() {
  return {
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
      {.key = "outbound_topic_aliases",
       .where = &outbound_topic_aliases,
       .sentence = "Topic aliases we use, where the broker takes some"},
      {.key = "send_window",
       .where = &send_window,
       .sentence = "QoS 1 and 2 messages of ours on their way at once; 0: as many as the broker takes"},
      {.key = "pending_items",
       .where = &pending_items,
       .sentence = "Publishes that may wait for their end",
       .least = 1,
       .most = most_pending},
      {.key = "pending_octets", .where = &pending_octets, .sentence = "And their size", .least = 1},
      {.key = "publish_wait",
       .where = &publish_wait,
       .sentence = "How long a publish waits for room among them"},
      {.key = "when_offline_full",
       .where = &when_offline_full,
       .sentence = "What becomes of a publish without room and without a connection",
       .choices = {"reject", "wait", "drop_oldest"}},
      {.key = "drop_offline_qos_0",
       .where = &drop_offline_qos_0,
       .sentence = "Whether publishes at QoS 0 without a connection are dropped"},
  };
}

std::vector<field> client_settings::ways() {
  return {
      {.key = "proxy", .where = &proxy, .sentence = "http:// or socks5://; empty: none"},
      {.key = "web_headers",
       .where = &web_headers,
       .sentence = "Further headers of a WebSocket's request, each as 'Name: value'"},
  };
}

description client_settings::describe() {
  description all;
  for (auto part : {&client_settings::identity, &client_settings::time, &client_settings::amounts,
                    &client_settings::ways})
    append(all.fields, "", (this->*part)());
  append(all.fields, "will.", will.fields());
  append(all.fields, "socket.", socket.fields());
  append(all.fields, "tls.", tls.fields());
  append(all.fields, "tls.",
         {{.key = "server_name",
           .where = &tls_server_name,
           .sentence = "Name to ask for and to find in the certificate; empty: the host's"},
          {.key = "alpn", .where = &tls_alpn, .sentence = "Application protocols to offer"},
          {.key = "cipher_suites",
           .where = &tls_cipher_suites,
           .sentence = "Cipher suites of TLS 1.3; empty: OpenSSL's choice"}});
  append(all.fields, "runtime.", runtime.fields());
  return all;
}

std::vector<problem> client_settings::check() const {
  std::vector<problem> found;
  const auto find = [&found](const char* key, std::string what) {
    found.push_back({"", 0, key, std::move(what)});
  };
  if (auto wrong = misfit_of_endpoint(broker); !wrong.empty()) find("broker", wrong);
  for (const std::string& each : more_brokers)
    if (auto wrong = misfit_of_endpoint(each); !wrong.empty()) find("more_brokers", wrong);
  if (reconnect_most < reconnect_least) find("reconnect_most", "is less than reconnect_least");
  if (!is_whole_seconds(keep_alive)) find("keep_alive", "can be said in whole seconds only");
  if (!is_whole_seconds(session_expiry)) find("session_expiry", "can be said in whole seconds only");
  if (!is_whole_seconds(will.delay)) find("will.delay", "can be said in whole seconds only");
  if (version == "3.1.1" && user_name.empty() && !password.empty())
    find("password", "needs a user_name in MQTT 3.1.1 [MQTT-3.1.2-22]");
  if (version == "3.1.1" && client_id.empty() && !clean_start)
    find("client_id", "is needed in MQTT 3.1.1 to find a session again [MQTT-3.1.3-8]");
  if (will.topic.empty() && will != will_settings{}) find("will.topic", "is missing");
  if (version == "3.1.1" && will.delay.count() != 0) find("will.delay", "cannot be said in MQTT 3.1.1");
  if (tls.cert_file.empty() != tls.key_file.empty()) find("tls", "cert_file and key_file need each other");
  if (!std::ranges::all_of(user_properties, is_property))
    find("user_properties", "wants 'Name: value' in well-formed UTF-8 without U+0000");
  if (version == "3.1.1" && !user_properties.empty()) find("user_properties", "cannot be said in MQTT 3.1.1");
  if (!std::ranges::all_of(web_headers, is_header)) find("web_headers", "wants lines of 'Name: value'");
  return found;
}

} // namespace troupe::config
