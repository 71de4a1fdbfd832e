// Settings from outside make a client: every key of them arrives somewhere.
#include <troupe/actors/client.hpp>
#include <troupe/actors/client_configuration.hpp>
#include <troupe/config/load.hpp>

#include "support/actors/scripted_broker.hpp"
#include "support/sample.hpp"

#include <gtest/gtest.h>

#include <map>
#include <sstream>
#include <string>
#include <vector>

namespace {

using troupe::client_options;
using troupe::config::client_settings;
using namespace std::chrono_literals;

/// Everything that settings can change, as text.
std::string fingerprint(const client_settings& settings) {
  const client_options is = troupe::client_options_of(settings);
  const troupe::stage_options where = troupe::stage_options_of(settings);
  std::ostringstream text;
  const auto list = [&text](const std::vector<std::string>& all) {
    for (const auto& each : all) text << each << ',';
    text << ';';
  };
  text << is.broker << ';' << is.client_id << ';' << static_cast<int>(is.version) << ';'
       << is.user_name.value_or("-") << ';' << is.password.value_or("-") << ';' << is.clean_start << ';'
       << is.keep_alive.count() << ';' << is.session_expiry.count() << ';';
  list(is.more_brokers);
  if (is.will)
    text << is.will->topic << ';' << is.will->payload << ';' << static_cast<int>(is.will->quality) << ';'
         << is.will->retain << ';' << is.will->delay.count() << ';';
  text << is.receive_maximum << ';' << is.maximum_packet_size << ';' << is.outbound_topic_aliases << ';'
       << is.send_window << ';' << is.topic_alias_maximum << ';' << is.connect_timeout.count() << ';'
       << is.connack_timeout.count() << ';' << is.ping_timeout.count() << ';' << is.disconnect_timeout.count()
       << ';' << is.reconnect << ';' << is.backoff_first.count() << ';' << is.backoff_limit.count() << ';'
       << is.stable_after.count() << ';' << is.dial_at_once << ';' << is.attempts_limit << ';'
       << is.pending_items << ';' << is.pending_octets << ';' << is.publish_wait.count() << ';'
       << static_cast<int>(is.when_offline_full) << ';' << is.drop_offline_qos_0 << ';' << is.proxy << ';';
  for (const auto& header : is.web_headers) text << header.name << '=' << header.value << ';';
  text << is.tls.ca_file << ';' << is.tls.cert_file << ';' << is.tls.key_file << ';' << is.tls.key_password
       << ';' << is.tls.verify_peer << ';' << is.tls.server_name << ';' << static_cast<int>(is.tls.least)
       << ';' << is.tls.ciphers << ';' << is.tls.cipher_suites << ';';
  list(is.tls.alpn);
  list(is.tls.pins);
  text << is.socket.no_delay << ';' << is.socket.keep_alive << ';' << is.socket.send_buffer << ';'
       << is.socket.receive_buffer << ';' << static_cast<int>(is.socket.family) << ';'
       << is.socket.local_address << ';' << is.session_file << ';' << is.redirects_limit << ';';
  for (const auto octet : is.connect_properties.view().block()) text << static_cast<unsigned>(octet) << ',';
  text << ';' << where.workers << ';' << static_cast<int>(where.wake);
  return text.str();
}

/// Another value than the default, as a settings file writes it; what the fingerprint then contains.
struct change {
  std::string text;
  std::string shows;
};

const std::map<std::string, change>& changes() {
  static const std::map<std::string, change> all{
      {"broker", {"mqtts://b:1", "mqtts://b:1;"}},
      {"more_brokers", {"mqtt://second", "mqtt://second,;"}},
      {"client_id", {"me", ";me;"}},
      {"version", {"3.1.1", ""}},
      {"user_name", {"u", ";u;-;"}},
      {"password", {"p", ";-;p;"}},
      {"clean_start", {"false", ""}},
      {"session_expiry", {"7h", ";25200;"}},
      {"session_file", {"s.db", ";s.db;"}},
      {"user_properties", {"site: north", ";38,0,4,115,105,116,101,0,5,110,111,114,116,104,;"}},
      {"redirects_limit", {"9", ";9;"}},
      {"keep_alive", {"77s", ";77;"}},
      {"connect_timeout", {"11s", ";11000;"}},
      {"connack_timeout", {"12s", ";12000;"}},
      {"ping_timeout", {"13s", ";13000;"}},
      {"disconnect_timeout", {"14s", ";14000;"}},
      {"reconnect", {"false", ""}},
      {"reconnect_least", {"15ms", ";15;"}},
      {"reconnect_most", {"16s", ";16000;"}},
      {"stable_after", {"17s", ";17000;"}},
      {"attempts_limit", {"18", ";18;"}},
      {"dial_at_once", {"false", ""}},
      {"receive_maximum", {"19", ";19;"}},
      {"maximum_packet_size", {"20KiB", ";20480;"}},
      {"topic_alias_maximum", {"21", ";21;"}},
      {"outbound_topic_aliases", {"22", ";22;"}},
      {"send_window", {"23", ";23;"}},
      {"pending_items", {"24", ";24;"}},
      {"pending_octets", {"25KiB", ";25600;"}},
      {"publish_wait", {"26s", ";26000;"}},
      {"when_offline_full", {"drop_oldest", ""}},
      {"drop_offline_qos_0", {"true", ""}},
      {"proxy", {"socks5://p", ";socks5://p;"}},
      {"web_headers", {"X-Token: abc", ";X-Token=abc;"}},
      {"will.topic", {"w", ";w;;0;0;0;"}},
      {"will.payload", {"gone", ";gone;0;"}},
      {"will.qos", {"2", ";;2;0;0;"}},
      {"will.retain", {"true", ";;0;1;0;"}},
      {"will.delay", {"27s", ";;0;0;27;"}},
      {"socket.no_delay", {"false", ""}},
      {"socket.keep_alive", {"true", ""}},
      {"socket.send_buffer", {"28KiB", ";28672;"}},
      {"socket.receive_buffer", {"29KiB", ";29696;"}},
      {"socket.family", {"v6", ""}},
      {"socket.local_address", {"127.0.0.9", ";127.0.0.9;"}},
      {"tls.ca_file", {"ca.pem", ";ca.pem;"}},
      {"tls.cert_file", {"cert.pem", ";cert.pem;"}},
      {"tls.key_file", {"key.pem", ";key.pem;"}},
      {"tls.key_password", {"secret", ";secret;"}},
      {"tls.verify_peer", {"false", ""}},
      {"tls.least_version", {"1.3", ""}},
      {"tls.ciphers", {"HIGH", ";HIGH;"}},
      {"tls.pins", {"spki:00", "spki:00,;"}},
      {"tls.server_name", {"other", ";other;"}},
      {"tls.alpn", {"mqtt5", "mqtt5,;"}},
      {"tls.cipher_suites", {"TLS_AES_128_GCM_SHA256", ";TLS_AES_128_GCM_SHA256;"}},
      {"runtime.workers", {"3", ";3;"}},
      {"runtime.wake", {"plain", ""}},
  };
  return all;
}

TEST(client_configurations, bring_every_key_to_the_client_or_its_stage) {
  client_settings list;
  for (const auto& named : list.describe().fields) {
    const auto found = changes().find(named.key);
    ASSERT_NE(found, changes().end()) << named.key << " has no value here: is it mapped?";
    client_settings settings;
    if (named.key.starts_with("will.")) settings.will.topic = "w";
    const std::string before = named.key == "will.topic" ? fingerprint({}) : fingerprint(settings);
    for (const auto& each : settings.describe().fields)
      if (each.key == named.key) {
        const std::vector<std::string> texts{found->second.text};
        ASSERT_FALSE(each.assign(texts)) << each.key;
      }
    const std::string after = fingerprint(settings);
    EXPECT_NE(after, before) << named.key << " changes nothing";
    EXPECT_NE(after.find(found->second.shows), std::string::npos) << named.key << ": " << after;
  }
}

TEST(client_configurations, of_defaults_are_those_of_the_options_where_settings_say_nothing_else) {
  const client_options is = troupe::client_options_of({});
  const client_options usual;
  EXPECT_EQ(is.broker, usual.broker);
  EXPECT_EQ(is.keep_alive, usual.keep_alive);
  EXPECT_EQ(is.backoff_limit, usual.backoff_limit);
  EXPECT_EQ(is.pending_octets, usual.pending_octets);
  EXPECT_EQ(is.maximum_packet_size, usual.maximum_packet_size);
  EXPECT_EQ(is.tls.alpn, usual.tls.alpn);
  EXPECT_EQ(is.socket, usual.socket);
  EXPECT_FALSE(is.user_name || is.password || is.will);
}

TEST(client_configurations, make_clients_that_say_what_was_set) {
  support::scripted_broker broker;
  client_settings settings;
  const std::vector<std::string> words{"-b",
                                       broker.url(),
                                       "-i",
                                       "c",
                                       "--keep-alive",
                                       "10s",
                                       "-u",
                                       "u",
                                       "--password",
                                       "p",
                                       "--will-topic",
                                       "w",
                                       "--will-payload",
                                       "x",
                                       "--will-qos",
                                       "1",
                                       "--will-retain",
                                       "--no-clean-start",
                                       "-V",
                                       "3.1.1"};
  const auto result = troupe::config::load(settings, {.arguments = words});
  ASSERT_EQ(support::all_of(result.problems), "");
  troupe::stage stage{troupe::stage_options_of(settings)};
  const troupe::client c{stage, troupe::client_options_of(settings)};
  EXPECT_EQ(
      broker.accept().read(),
      support::dump("10 19 00 04 'MQTT' 04 EC 00 0A 00 01 'c' 00 01 'w' 00 01 'x' 00 01 'u' 00 01 'p'"));
}

} // namespace
