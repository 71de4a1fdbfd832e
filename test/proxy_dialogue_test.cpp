#include <troupe/runtime/proxy_dialogue.hpp>
#include <troupe/runtime/web_error.hpp>

#include <gtest/gtest.h>

#include <string>

namespace {

using namespace troupe;
using namespace troupe::runtime;
using namespace std::string_literals;
using protocol::octet;

struct conversation {
  std::unique_ptr<dialogue> client;
  std::string waiting{};
  std::string said{};
  bool is_done = false;

  explicit conversation(const std::string& proxy, const std::string& host = "broker.example",
                        std::uint16_t port = 1883)
      : client{ask_proxy(*parse_proxy(proxy), host, port)} {
    EXPECT_FALSE(hears(""));
  }
  /// Adds to what was heard; what is said in answer is in `said`.
  std::error_code hears(const std::string& more) {
    waiting += more;
    said.clear();
    const auto now = client->go_on({reinterpret_cast<const octet*>(waiting.data()), waiting.size()}, said);
    waiting.erase(0, now.used);
    is_done = now.is_done;
    return now.error;
  }
};

TEST(proxy_dialogue, asks_an_http_proxy_for_a_tunnel) {
  conversation plain{"http://proxy"};
  EXPECT_EQ(plain.said, "CONNECT broker.example:1883 HTTP/1.1\r\nHost: broker.example:1883\r\n\r\n");
  EXPECT_FALSE(plain.hears("HTTP/1.1 200 Connection"));
  EXPECT_FALSE(plain.is_done);
  EXPECT_FALSE(plain.hears(" established\r\nX: y\r\n\r\nrest"));
  EXPECT_TRUE(plain.is_done);
  EXPECT_EQ(plain.waiting, "rest");
  conversation known{"http://Aladdin:open%20sesame@proxy", "::1", 8883};
  EXPECT_EQ(known.said, "CONNECT [::1]:8883 HTTP/1.1\r\nHost: [::1]:8883\r\n"
                        "Proxy-Authorization: Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==\r\n\r\n");
}

TEST(proxy_dialogue, says_why_an_http_proxy_refuses) {
  EXPECT_EQ(conversation{"http://p"}.hears("HTTP/1.1 407 Proxy Authentication Required\r\n\r\n"),
            http_status(407));
  EXPECT_EQ(conversation{"http://p"}.hears("HTTP/1.0 503 No\r\n\r\n"), http_status(503));
  EXPECT_EQ(conversation{"http://p"}.hears("\x05\x00"s), web_errc::not_http);
  EXPECT_EQ(conversation{"http://p"}.hears("HTTP/1.1 200 " + std::string(9000, 'x')),
            web_errc::header_too_long);
}

TEST(proxy_dialogue, asks_a_socks_proxy_octet_by_octet) {
  conversation plain{"socks5://proxy"};
  EXPECT_EQ(plain.said, "\x05\x01\x00"s);
  EXPECT_FALSE(plain.hears("\x05"));
  EXPECT_EQ(plain.said, "");
  EXPECT_FALSE(plain.hears("\x00"s));
  EXPECT_EQ(plain.said, "\x05\x01\x00\x03\x0e"
                        "broker.example\x07\x5b"s);
  const std::string reply = "\x05\x00\x00\x01\x7f\x00\x00\x01\x12\x34"s;
  for (const char each : reply) {
    EXPECT_FALSE(plain.is_done);
    EXPECT_FALSE(plain.hears({each}));
  }
  EXPECT_TRUE(plain.is_done);
  EXPECT_EQ(plain.waiting, "");
}

TEST(proxy_dialogue, names_hosts_as_socks_wants_them) {
  conversation four{"socks5://p", "192.0.2.1", 80};
  EXPECT_FALSE(four.hears("\x05\x00"s));
  EXPECT_EQ(four.said, "\x05\x01\x00\x01\xc0\x00\x02\x01\x00\x50"s);
  conversation six{"socks5://p", "::1", 80};
  EXPECT_FALSE(six.hears("\x05\x00"s));
  EXPECT_EQ(six.said, "\x05\x01\x00\x04"s + std::string(15, '\0') + "\x01\x00\x50"s);
  EXPECT_FALSE(six.hears("\x05\x00\x00\x03\x04nameabX"s));
  EXPECT_TRUE(six.is_done);
  EXPECT_EQ(six.waiting, "X");
}

TEST(proxy_dialogue, logs_in_at_a_socks_proxy) {
  conversation known{"socks5://user:word@proxy"};
  EXPECT_EQ(known.said, "\x05\x02\x00\x02"s);
  EXPECT_FALSE(known.hears("\x05\x02"));
  EXPECT_EQ(known.said, "\x01\x04user\x04word");
  EXPECT_FALSE(known.hears("\x01\x00"s));
  EXPECT_TRUE(known.said.starts_with("\x05\x01\x00\x03"s));
  conversation wrong{"socks5://user:word@proxy"};
  EXPECT_FALSE(wrong.hears("\x05\x02"));
  EXPECT_EQ(wrong.hears("\x01\x01"), web_errc::proxy_refuses_login);
  EXPECT_EQ(conversation{"socks5://p"}.hears("\x05\xff"), web_errc::proxy_needs_other_login);
  EXPECT_EQ(conversation{"socks5://p"}.hears("\x05\x02"), web_errc::not_socks) << "it was not offered";
  EXPECT_EQ(conversation{"socks5://p"}.hears("HTTP"), web_errc::not_socks);
}

TEST(proxy_dialogue, says_why_a_socks_proxy_refuses) {
  const web_errc reasons[] = {web_errc::proxy_failed,        web_errc::proxy_forbids,
                              web_errc::network_unreachable, web_errc::host_unreachable,
                              web_errc::target_refused,      web_errc::proxy_failed};
  for (std::size_t i = 0; i < std::size(reasons); ++i) {
    conversation one{"socks5://p"};
    EXPECT_FALSE(one.hears("\x05\x00"s));
    EXPECT_EQ(one.hears("\x05"s + static_cast<char>(i + 1) + "\x00\x01\x00\x00\x00\x00\x00\x00"s),
              reasons[i]);
  }
}

} // namespace
