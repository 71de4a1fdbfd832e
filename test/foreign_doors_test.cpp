// TLS and WebSocket with parties of others: mosquitto's clients and Paho's Python client at our broker's
// doors, our client at mosquitto's.
#include "support/child.hpp"
#include "support/inbox.hpp"
#include "support/mosquitto.hpp"
#include "support/plain_peer.hpp"
#include "support/scratch_folder.hpp"
#include "support/tls/certificates.hpp"

#include <troupe/actors/client.hpp>
#include <troupe/broker/broker.hpp>
#include <troupe/runtime/tls_error.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

namespace troupe {
namespace {

using test::certifier;
using test::child;
using test::credentials;
using test::inbox;
using test::mosquitto;
using test::scratch_folder;

constexpr qos qualities[] = {qos::at_most_once, qos::at_least_once, qos::exactly_once};
constexpr version versions[] = {version::v5_0, version::v3_1_1};

/// Certificates as files, for programs that take nothing else; they go with the test.
struct foreign_doors : testing::Test {
  certifier trusted{};
  credentials server = trusted.issue();
  credentials someone = trusted.issue({.common_name = "someone", .names = {}});
  scratch_folder folder{};
  std::string ca = write("ca", trusted.certificate());
  std::string certificate = write("certificate", server.certificate);
  std::string key = write("key", server.key);
  std::string own_certificate = write("own_certificate", someone.certificate);
  std::string own_key = write("own_key", someone.key);
  stage where{};

  std::string write(const char* name, const std::string& text) const {
    std::string file = folder.file(name);
    std::ofstream{file} << text;
    return file;
  }
  tls_options listening() const { return {.cert_file = certificate, .key_file = key}; }
  static std::string port_of(const std::string& endpoint) {
    const auto from = endpoint.rfind(':') + 1;
    return endpoint.substr(from, endpoint.find('/', from) - from);
  }
  static std::string free_port() { return std::to_string(test::plain_listener{}.port()); }
  static void await_subscription(const broker& our) {
    while (our.statistics().subscriptions == 0) std::this_thread::yield();
  }
  /// Ours publishes and hears itself through `url`, in each version and quality, small and large.
  void exchange(client_options options, std::size_t size = 300'000) {
    const std::string large(size, 'y');
    for (const version spoken : versions) {
      options.version = spoken;
      options.client_id = "troupe";
      client one{where, options};
      inbox box;
      auto mine = one.subscribe("d", qos::exactly_once, box.handler());
      ASSERT_TRUE(mine.granted().get().ok()) << mine.granted().get().text();
      for (const qos quality : qualities) {
        EXPECT_TRUE(one.publish("d", "small", quality).get().ok());
        EXPECT_EQ(box.next().text, "small");
        EXPECT_TRUE(one.publish("d", large, quality).get().ok());
        EXPECT_TRUE(box.next().text == large);
      }
      EXPECT_TRUE(one.disconnect().get().ok());
    }
  }
};

TEST_F(foreign_doors, mosquitto_clients_come_in_by_tls) {
  broker our{where};
  const std::string port = port_of(*our.listen("mqtts://127.0.0.1:0", {.tls = listening()}));
  for (const char* version : {"mqttv311", "mqttv5"})
    for (const char* tls : {"tlsv1.2", "tlsv1.3"})
      for (const char* quality : {"0", "1", "2"}) {
        const std::vector<std::string> common{
            "-h", "localhost",     "-p", port, "-V",   version, "--cafile", ca, "-t",
            "a",  "--tls-version", tls,  "-q", quality};
        std::vector<std::string> sub{"mosquitto_sub", "-C", "1", "-F", "%q %p"};
        std::vector<std::string> pub{"mosquitto_pub", "-m", "hello"};
        sub.insert(sub.end(), common.begin(), common.end());
        pub.insert(pub.end(), common.begin(), common.end());
        child hears{sub};
        await_subscription(our);
        EXPECT_EQ(child{pub}.exit_status(), 0);
        EXPECT_EQ(hears.line(), std::string{quality} + " hello");
        EXPECT_EQ(hears.exit_status(), 0);
        while (our.statistics().sessions != 0) std::this_thread::yield();
      }
  EXPECT_EQ(our.statistics().greetings_failed, 0U);
}

TEST_F(foreign_doors, mosquitto_clients_show_their_certificate) {
  broker our{where};
  tls_options strict = listening();
  strict.ca_file = ca;
  strict.name_is_user = true;
  const std::string port = port_of(*our.listen("mqtts://127.0.0.1:0", {.tls = strict}));
  std::vector<std::string> pub{
      "mosquitto_pub", "-h", "localhost", "-p", port, "--cafile", ca, "-t", "a", "-q", "1", "-m", "x"};
  EXPECT_NE(child{pub}.exit_status(), 0);
  while (our.statistics().greetings_failed == 0) std::this_thread::yield();
  pub.insert(pub.end(), {"--cert", own_certificate, "--key", own_key});
  EXPECT_EQ(child{pub}.exit_status(), 0);
}

TEST_F(foreign_doors, a_python_client_comes_in_by_websocket) {
  broker our{where};
  const std::string plain = port_of(*our.listen("ws://127.0.0.1:0/mqtt"));
  const std::string secure = port_of(*our.listen("wss://127.0.0.1:0/mqtt", {.tls = listening()}));
  // Subscribes, publishes three qualities and a payload of many reads to itself, prints what it hears.
  const char* const program = R"(
import sys, paho.mqtt.client as mqtt
port, ca, version = int(sys.argv[1]), sys.argv[2], int(sys.argv[3])
got = []
def connected(c, *rest): c.subscribe("w/#", 2)
def subscribed(c, *rest):
    for q in range(3): c.publish("w/%d" % q, "hello %d" % q, q)
    c.publish("w/large", "z" * 300000, 2)
def heard(c, u, m):
    got.append("%s %d %d" % (m.topic, m.qos, len(m.payload)))
    if len(got) == 4: c.disconnect()
c = mqtt.Client(transport="websockets", protocol=version)
c.ws_set_options(path="/mqtt")
if ca: c.tls_set(ca)
c.on_connect, c.on_subscribe, c.on_message = connected, subscribed, heard
c.connect("localhost", port)
c.loop_forever()
print("\n".join(sorted(got)))
)";
  for (const char* version : {"4", "5"})
    for (const bool is_secure : {false, true}) {
      child python{
          {"/usr/bin/python3", "-c", program, is_secure ? secure : plain, is_secure ? ca : "", version}};
      EXPECT_EQ(python.output(), "w/0 0 7\nw/1 1 7\nw/2 2 7\nw/large 2 300000\n") << version << is_secure;
      EXPECT_EQ(python.exit_status(), 0);
    }
}

TEST_F(foreign_doors, our_client_speaks_tls_with_mosquitto) {
  const mosquitto theirs{"allow_anonymous true\ncertfile " + certificate + "\nkeyfile " + key + "\n"};
  client_options options;
  options.broker = "mqtts" + theirs.url().substr(4);
  options.tls.ca_file = ca;
  for (const tls_version which : {tls_version::v1_2, tls_version::v1_3}) {
    options.tls.least = options.tls.most = which;
    exchange(options);
  }
  options.tls.ca_file = write("stranger", certifier{"stranger"}.certificate());
  options.reconnect = false;
  client one{where, options};
  EXPECT_EQ(one.connected().get().error(), runtime::tls_errc::unknown_authority);
}

TEST_F(foreign_doors, our_client_shows_its_certificate_to_mosquitto) {
  const mosquitto theirs{"allow_anonymous true\ncertfile " + certificate + "\nkeyfile " + key + "\ncafile "
                         + ca + "\nrequire_certificate true\nuse_identity_as_username true\n"};
  client_options options;
  options.broker = "mqtts" + theirs.url().substr(4);
  options.tls.ca_file = ca;
  options.tls.cert_file = own_certificate;
  options.tls.key_file = own_key;
  exchange(options);
}

TEST_F(foreign_doors, our_client_speaks_websocket_with_mosquitto) {
  // Its WebSocket library shares no port with the object that holds mosquitto's own.
  const std::string plain = free_port();
  const std::string secure = free_port();
  const mosquitto theirs{
      "allow_anonymous true\nlistener " + plain + " 127.0.0.1\nprotocol websockets\nlistener " + secure
      + " 127.0.0.1\nprotocol websockets\ncertfile " + certificate + "\nkeyfile " + key + "\n"};
  client_options options;
  options.backoff_first = std::chrono::milliseconds{10}; // the further listeners may open a little later
  options.broker = "ws://127.0.0.1:" + plain + "/mqtt";
  constexpr std::size_t large = 20'000; // it takes 4 KB in each turn of its loop
  exchange(options, large);
  options.broker = "wss://127.0.0.1:" + secure + "/mqtt";
  options.tls.ca_file = ca;
  exchange(options, large);
}

TEST_F(foreign_doors, the_program_opens_the_doors_of_its_settings) {
  const std::string settings =
      write("broker.toml", "[[listener]]\nurl = \"mqtts://127.0.0.1:0\"\ntls.cert_file = \"" + certificate
                               + "\"\ntls.key_file = \"" + key
                               + "\"\n[[listener]]\nurl = \"ws://127.0.0.1:0/mqtt\"\n");
  child program{{std::string{TROUPE_BIN_DIR} + "/troupe-broker", "--config", settings}};
  const std::string first = program.line();
  const std::string second = program.line();
  ASSERT_TRUE(first.starts_with("listening on mqtts://127.0.0.1:")) << first;
  ASSERT_TRUE(second.starts_with("listening on ws://127.0.0.1:")) << second;
  client_options options;
  options.broker = first.substr(first.find("mqtts:"));
  options.tls.ca_file = ca;
  exchange(options);
  options.broker = second.substr(second.find("ws:"));
  exchange(options);
  program.signal(SIGTERM);
  EXPECT_EQ(program.exit_status(), 0);
  const std::string wrong =
      write("wrong.toml", "[[listener]]\nurl = \"mqtts://127.0.0.1:0\"\ntls.cert_file = \"" + certificate
                              + "\"\ntls.key_file = \"" + own_key + "\"\n");
  EXPECT_EQ((child{{std::string{TROUPE_BIN_DIR} + "/troupe-broker", "--config", wrong}}.exit_status()), 1);
}

} // namespace
} // namespace troupe
