#include <troupe/runtime/web_error.hpp>
#include <troupe/runtime/websocket_dialogue.hpp>

#include <gtest/gtest.h>

#include <string>

namespace {

using namespace troupe;
using namespace troupe::runtime;
using protocol::octet;

dialogue::step tell(dialogue& who, const std::string& text, std::string& say) {
  return who.go_on({reinterpret_cast<const octet*>(text.data()), text.size()}, say);
}

const std::string good_request =
    "GET /mqtt HTTP/1.1\r\nHost: server.example.com\r\nUpgrade: websocket\r\n"
    "Connection: keep-alive, Upgrade\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
    "Sec-WebSocket-Protocol: chat, mqtt\r\nSec-WebSocket-Version: 13\r\n\r\n";

std::string changed(const std::string& from, const std::string& to) {
  std::string text = good_request;
  const auto at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

std::string value_of(const std::string& text, const std::string& name) {
  const auto begin = text.find(name + ": ");
  if (begin == std::string::npos) return {};
  const auto from = begin + name.size() + 2;
  return text.substr(from, text.find("\r\n", from) - from);
}

TEST(websocket_dialogue, answers_as_the_standard_shows) {
  // RFC 6455, 1.3.
  EXPECT_EQ(websocket_accept_key("dGhlIHNhbXBsZSBub25jZQ=="), "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=");
  const auto server = websocket_answer("/mqtt");
  std::string say;
  for (std::size_t i = 1; i < good_request.size(); ++i) {
    const auto now = tell(*server, good_request.substr(0, i), say);
    ASSERT_FALSE(now.error || now.is_done) << i;
    ASSERT_TRUE(say.empty());
  }
  const auto now = tell(*server, good_request + "\x82", say);
  EXPECT_TRUE(now.is_done);
  EXPECT_FALSE(now.error) << now.error.message();
  EXPECT_EQ(now.used, good_request.size()) << "the first frame is not the header's";
  EXPECT_TRUE(say.starts_with("HTTP/1.1 101 ")) << say;
  EXPECT_EQ(value_of(say, "Sec-WebSocket-Accept"), "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=");
  EXPECT_EQ(value_of(say, "Sec-WebSocket-Protocol"), "mqtt");
}

TEST(websocket_dialogue, refuses_what_is_no_upgrade_to_mqtt) {
  struct row {
    std::string request;
    std::string status;
    std::error_code why;
  };
  const row rows[] = {
      {changed("GET", "POST"), "405", web_errc::bad_upgrade},
      {changed("/mqtt", "/other"), "404", web_errc::bad_upgrade},
      {changed("Upgrade: websocket", "Upgrade: h2c"), "426", web_errc::bad_upgrade},
      {changed("keep-alive, Upgrade", "close"), "426", web_errc::bad_upgrade},
      {changed("Version: 13", "Version: 8"), "426", web_errc::bad_upgrade},
      {changed("dGhlIHNhbXBsZSBub25jZQ==", "short"), "400", web_errc::bad_upgrade},
      {changed("Host: server.example.com\r\n", ""), "400", web_errc::bad_upgrade},
      {changed("chat, mqtt", "chat"), "400", web_errc::no_mqtt_protocol},
      {changed("Sec-WebSocket-Protocol: chat, mqtt\r\n", ""), "400", web_errc::no_mqtt_protocol},
      {changed("HTTP/1.1", "HTTP/1.0"), "505", web_errc::not_http},
      {changed("Host:", "Ho st:"), "400", web_errc::not_http},
  };
  for (const row& each : rows) {
    const auto server = websocket_answer("/mqtt");
    std::string say;
    const auto now = tell(*server, each.request, say);
    EXPECT_EQ(now.error, each.why) << each.request;
    EXPECT_TRUE(say.starts_with("HTTP/1.1 " + each.status)) << say;
  }
  std::string say;
  EXPECT_EQ(tell(*websocket_answer("/"), "\x10\x0c", say).error, web_errc::not_http);
  EXPECT_EQ(tell(*websocket_answer("/"), std::string(9000, 'A'), say).error, web_errc::header_too_long);
  EXPECT_EQ(tell(*websocket_answer("/"), changed("chat, mqtt", "mqttv3.1"), say).error, std::error_code{});
  EXPECT_EQ(tell(*websocket_answer("/mqtt"), changed("/mqtt", "/mqtt?token=7"), say).error,
            std::error_code{});
}

/// A client that has asked, and the answer it hopes for.
struct asked {
  std::unique_ptr<dialogue> client = websocket_request("broker:8080", "/mqtt?a=b", {{"X-Token", "secret"}});
  std::string request{};
  asked() { EXPECT_FALSE(client->go_on({}, request).error); }
  std::string answer() const {
    return "HTTP/1.1 101 Switching Protocols\r\nUpgrade: WebSocket\r\nconnection: upgrade\r\n"
           "Sec-WebSocket-Protocol: mqtt\r\nSec-WebSocket-Accept: "
           + websocket_accept_key(value_of(request, "Sec-WebSocket-Key")) + "\r\n\r\n";
  }
  std::error_code hears(std::string text, const std::string& from = {}, const std::string& to = {}) {
    if (!from.empty()) text.replace(text.find(from), from.size(), to);
    std::string say;
    const auto now = tell(*client, text, say);
    EXPECT_TRUE(say.empty());
    EXPECT_TRUE(now.error || now.is_done);
    return now.error;
  }
};

TEST(websocket_dialogue, asks_for_mqtt_with_the_headers_of_the_user) {
  asked one;
  EXPECT_TRUE(one.request.starts_with("GET /mqtt?a=b HTTP/1.1\r\nHost: broker:8080\r\n")) << one.request;
  EXPECT_EQ(value_of(one.request, "Sec-WebSocket-Protocol"), "mqtt");
  EXPECT_EQ(value_of(one.request, "X-Token"), "secret");
  EXPECT_TRUE(one.request.ends_with("\r\n\r\n"));
  EXPECT_NE(value_of(one.request, "Sec-WebSocket-Key"), value_of(asked{}.request, "Sec-WebSocket-Key"));
  EXPECT_FALSE(one.hears(one.answer()));
}

TEST(websocket_dialogue, believes_no_server_that_did_not_understand) {
  asked one;
  EXPECT_EQ(one.hears("HTTP/1.1 403 Forbidden\r\n\r\n"), http_status(403));
  EXPECT_EQ(one.hears("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"), http_status(200));
  EXPECT_EQ(one.hears(one.answer(), "Accept: ", "Accept: x"), web_errc::bad_upgrade);
  EXPECT_EQ(one.hears(one.answer(), "WebSocket", "other"), web_errc::bad_upgrade);
  EXPECT_EQ(one.hears(one.answer(), "connection: upgrade\r\n", ""), web_errc::bad_upgrade);
  EXPECT_EQ(one.hears(one.answer(), "Protocol: mqtt", "Protocol: chat"), web_errc::no_mqtt_protocol);
  EXPECT_EQ(one.hears(one.answer(), "connection", "Sec-WebSocket-Extensions: deflate\r\nconnection"),
            web_errc::bad_upgrade);
  EXPECT_EQ(one.hears("SSH-2.0-x\r\n\r\n"), web_errc::not_http);
  EXPECT_EQ(one.hears(std::string{"\x20\x02\x00\x00", 4}), web_errc::not_http);
}

TEST(websocket_dialogue, takes_no_header_that_would_end_another) {
  EXPECT_FALSE(check_headers({{"Authorization", "Bearer a.b~c"}, {"X-Empty", ""}}));
  EXPECT_EQ(check_headers({{"", "x"}}), web_errc::bad_header);
  EXPECT_EQ(check_headers({{"X", "a\r\nY: b"}}), web_errc::bad_header);
  EXPECT_EQ(check_headers({{"X:", "a"}}), web_errc::bad_header);
  EXPECT_EQ(check_headers({{"X", std::string{"a\0b", 3}}}), web_errc::bad_header);
}

} // namespace
