#include <troupe/runtime/endpoint.hpp>

#include <gtest/gtest.h>

#include <string>

namespace {

using troupe::runtime::endpoint;
using troupe::runtime::endpoint_errc;
using troupe::runtime::endpoint_kind;
using troupe::runtime::parse_endpoint;

endpoint parsed(std::string_view text) {
  auto got = parse_endpoint(text);
  EXPECT_TRUE(got.has_value()) << text << ": " << got.error().message();
  return got ? *got : endpoint{};
}

void refuse(std::string_view text, endpoint_errc why) {
  const auto got = parse_endpoint(text);
  EXPECT_FALSE(got.has_value()) << text;
  EXPECT_EQ(got.error(), why) << text << ": " << got.error().message();
}

TEST(endpoint, knows_the_schemes_and_their_ports) {
  struct row {
    std::string_view text;
    endpoint_kind kind;
    std::uint16_t port;
  };
  for (const row& each :
       {row{"mqtt://h", endpoint_kind::tcp, 1883}, row{"tcp://h", endpoint_kind::tcp, 1883},
        row{"h", endpoint_kind::tcp, 1883}, row{"mqtts://h", endpoint_kind::tls, 8883},
        row{"tls://h", endpoint_kind::tls, 8883}, row{"SSL://h", endpoint_kind::tls, 8883},
        row{"ws://h", endpoint_kind::websocket, 80}, row{"wss://h", endpoint_kind::secure_websocket, 443}}) {
    const endpoint got = parsed(each.text);
    EXPECT_EQ(got.kind, each.kind) << each.text;
    EXPECT_EQ(got.port, each.port) << each.text;
    EXPECT_EQ(got.host, "h") << each.text;
    EXPECT_TRUE(got.is_remote());
  }
}

TEST(endpoint, takes_hosts_ports_and_literals) {
  EXPECT_EQ(parsed("mqtt://broker.example:0").port, 0);
  EXPECT_EQ(parsed("broker-1.example:65535").port, 65535);
  EXPECT_EQ(parsed("mqtt://127.0.0.1:1884/").host, "127.0.0.1");
  EXPECT_EQ(parsed("mqtt://[::1]").host, "::1");
  EXPECT_EQ(parsed("mqtt://[fe80::1%eth0]:99").host, "fe80::1%eth0");
  EXPECT_EQ(parsed("mqtt://[fe80::1%eth0]:99").port, 99);
  EXPECT_EQ(parsed("ws://h/mqtt?x=1").path, "/mqtt?x=1");
  EXPECT_EQ(parsed("ws://h?x=1").path, "/?x=1");
  EXPECT_EQ(parsed("wss://h").path, "/");
}

TEST(endpoint, takes_sockets_and_names) {
  EXPECT_EQ(parsed("unix:///run/broker.sock").path, "/run/broker.sock");
  EXPECT_EQ(parsed("unix://@hidden").path, "@hidden");
  EXPECT_FALSE(parsed("unix:///x").is_remote());
  EXPECT_EQ(parsed("loopback://inside").host, "inside");
  EXPECT_FALSE(parsed("loopback://inside").is_remote());
}

TEST(endpoint, takes_a_login_and_never_prints_it) {
  const endpoint got = parsed("mqtt://me:p%40ss%3A@h:1");
  EXPECT_EQ(got.user, "me");
  EXPECT_EQ(got.password, "p@ss:");
  EXPECT_EQ(to_string(got), "mqtt://h:1");
  EXPECT_EQ(parsed("mqtt://me@h").user, "me");
}

TEST(endpoint, prints_what_it_parses) {
  for (const std::string text : {"mqtt://h:1883", "mqtts://[::1]:8883", "ws://h:80/mqtt", "wss://h:443/",
                                 "unix:///run/x", "unix://@x", "loopback://a.b-c"}) {
    EXPECT_EQ(to_string(parsed(text)), text);
    EXPECT_EQ(parsed(to_string(parsed(text))), parsed(text));
  }
  EXPECT_EQ(to_string(parsed("tcp://h")), "mqtt://h:1883");
}

TEST(endpoint, refuses_with_a_reason) {
  refuse("", endpoint_errc::empty);
  refuse("http://h", endpoint_errc::unknown_scheme);
  refuse("://h", endpoint_errc::unknown_scheme);
  refuse("mqtt://", endpoint_errc::missing_host);
  refuse("mqtt://:1883", endpoint_errc::missing_host);
  refuse("mqtt://[]", endpoint_errc::missing_host);
  refuse("mqtt://[::1", endpoint_errc::bad_host);
  refuse("mqtt://::1", endpoint_errc::missing_host);
  refuse("mqtt://a b", endpoint_errc::bad_host);
  refuse("mqtt://[::1]x", endpoint_errc::bad_host);
  refuse("mqtt://h:", endpoint_errc::bad_port);
  refuse("mqtt://h:x", endpoint_errc::bad_port);
  refuse("mqtt://h:-1", endpoint_errc::bad_port);
  refuse("mqtt://h:65536", endpoint_errc::bad_port);
  refuse("mqtt://h:99999999999999999999", endpoint_errc::bad_port);
  refuse("mqtt://h:1883x", endpoint_errc::bad_port);
  refuse("mqtt://h/path", endpoint_errc::unexpected_part);
  refuse("mqtt://h?q", endpoint_errc::unexpected_part);
  refuse("mqtt://u%4:p@h", endpoint_errc::bad_escape);
  refuse("mqtt://u:%zz@h", endpoint_errc::bad_escape);
  refuse("unix://", endpoint_errc::missing_path);
  refuse("unix:///" + std::string(200, 'x'), endpoint_errc::path_too_long);
  refuse("loopback://", endpoint_errc::missing_host);
  refuse("loopback://a/b", endpoint_errc::unexpected_part);
}

/// Whatever it is: it is refused, or printed it reads as the same.
void read_and_print(const std::string& text) {
  const auto read = parse_endpoint(text);
  if (!read) return;
  endpoint shown = *read; // but for what is never printed
  shown.user.clear();
  shown.password.clear();
  const auto again = parse_endpoint(to_string(*read));
  ASSERT_TRUE(again) << text;
  EXPECT_EQ(*again, shown) << text;
}

TEST(endpoint, survives_every_prefix_and_every_octet) {
  const std::string text = "mqtts://us%20er:pa:ss@[fe80::1%eth0]:8883/";
  for (std::size_t length = 0; length <= text.size(); ++length) read_and_print(text.substr(0, length));
  for (std::size_t at = 0; at < text.size(); ++at)
    for (int octet = 0; octet < 256; ++octet) {
      std::string changed = text;
      changed[at] = static_cast<char>(octet);
      read_and_print(changed);
    }
}

TEST(endpoint, names_its_errors) {
  for (int code = 1; code <= 9; ++code) {
    const auto error = make_error_code(static_cast<endpoint_errc>(code));
    EXPECT_FALSE(error.message().empty());
    EXPECT_EQ(error.message().find("unknown endpoint"), std::string::npos);
  }
}

TEST(endpoint, reads_proxies) {
  using namespace troupe::runtime;
  EXPECT_EQ(*parse_proxy("http://proxy"), (proxy_endpoint{proxy_kind::http, "proxy", 8080, "", ""}));
  EXPECT_EQ(*parse_proxy("socks5://u%40x:p%3A@[::1]:9"),
            (proxy_endpoint{proxy_kind::socks5, "::1", 9, "u@x", "p:"}));
  EXPECT_EQ(parse_proxy("SOCKS5H://h")->port, 1080);
  EXPECT_EQ(parse_proxy("").error(), endpoint_errc::empty);
  EXPECT_EQ(parse_proxy("proxy:8080").error(), endpoint_errc::unknown_proxy);
  EXPECT_EQ(parse_proxy("mqtt://proxy").error(), endpoint_errc::unknown_proxy);
  EXPECT_EQ(parse_proxy("http://").error(), endpoint_errc::missing_host);
  EXPECT_EQ(parse_proxy("http://h/path").error(), endpoint_errc::unexpected_part);
  EXPECT_EQ(parse_proxy("http://h:x").error(), endpoint_errc::bad_port);
}

} // namespace
