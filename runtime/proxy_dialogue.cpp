#include "proxy_dialogue.hpp"

#include "base64.hpp"
#include "http_message.hpp"
#include "web_error.hpp"

#include <boost/asio/ip/address.hpp>

#include <utility>

namespace troupe::runtime {

using protocol::octet;
using protocol::octets;

namespace {

class connect_dialogue final : public dialogue {
public:
  connect_dialogue(const proxy_endpoint& proxy, const std::string& target) {
    text_ = "CONNECT " + target + " HTTP/1.1\r\nHost: " + target + "\r\n";
    if (!proxy.user.empty()) {
      const std::string login = proxy.user + ':' + proxy.password;
      text_ += "Proxy-Authorization: Basic "
               + base64({reinterpret_cast<const octet*>(login.data()), login.size()}) + "\r\n";
    }
    text_ += "\r\n";
  }

  step go_on(octets heard, std::string& say) override {
    if (!text_.empty()) {
      say = std::exchange(text_, {});
      return {};
    }
    const auto size = find_http_header(heard);
    if (!size || *size == 0) return {size.error()};
    const auto answer = read_http_response(heard.first(*size));
    if (!answer) return {answer.error()};
    const int status = static_cast<int>(answer->result_int());
    if (status / 100 != 2) return {http_status(status)};
    return {{}, true, *size};
  }

private:
  std::string text_;
};

constexpr char socks_version = 5;
constexpr octet no_login = 0;
constexpr octet by_password = 2;
constexpr octet none_acceptable = 0xFF;

std::error_code socks_failure(octet reply) noexcept {
  switch (reply) {
  case 2: return web_errc::proxy_forbids;
  case 3: return web_errc::network_unreachable;
  case 4: return web_errc::host_unreachable;
  case 5: return web_errc::target_refused;
  default: return web_errc::proxy_failed;
  }
}

/// A name, or an address in its octets; then the port.
std::string socks_address(const std::string& host, std::uint16_t port) {
  std::string text;
  boost::system::error_code not_digits;
  const auto digits = boost::asio::ip::make_address(host, not_digits);
  if (not_digits) {
    text += char{3};
    text += static_cast<char>(host.size());
    text += host;
  } else if (digits.is_v4()) {
    text += char{1};
    for (const auto each : digits.to_v4().to_bytes()) text += static_cast<char>(each);
  } else {
    text += char{4};
    for (const auto each : digits.to_v6().to_bytes()) text += static_cast<char>(each);
  }
  text += static_cast<char>(port >> 8U);
  text += static_cast<char>(port & 0xFFU);
  return text;
}

class socks_dialogue final : public dialogue {
public:
  socks_dialogue(const proxy_endpoint& proxy, std::string host, std::uint16_t port)
      : user_{proxy.user}, password_{proxy.password}, host_{std::move(host)}, port_{port} {}

  step go_on(octets heard, std::string& say) override {
    switch (stage_) {
    case stage::begin: return begin(say);
    case stage::way: return on_way(heard, say);
    case stage::login: return on_login(heard, say);
    case stage::reply: return on_reply(heard);
    }
    return {web_errc::not_socks};
  }

private:
  enum class stage : unsigned char { begin, way, login, reply };

  step begin(std::string& say) {
    if (user_.size() > 255 || password_.size() > 255 || host_.size() > 255) return {web_errc::login_too_long};
    say += socks_version;
    if (user_.empty())
      say += {char{1}, char{no_login}};
    else
      say += {char{2}, char{no_login}, char{by_password}};
    stage_ = stage::way;
    return {};
  }
  step on_way(octets heard, std::string& say) {
    if (heard.empty()) return {};
    if (heard[0] != socks_version) return {web_errc::not_socks};
    if (heard.size() < 2) return {};
    if (heard[1] == none_acceptable) return {web_errc::proxy_needs_other_login};
    if (heard[1] == no_login) {
      ask(say);
    } else if (heard[1] == by_password && !user_.empty()) {
      say += char{1};
      say += static_cast<char>(user_.size());
      say += user_;
      say += static_cast<char>(password_.size());
      say += password_;
      stage_ = stage::login;
    } else {
      return {web_errc::not_socks};
    }
    return {{}, false, 2};
  }
  step on_login(octets heard, std::string& say) {
    if (heard.size() < 2) return {};
    if (heard[1] != 0) return {web_errc::proxy_refuses_login};
    ask(say);
    return {{}, false, 2};
  }
  void ask(std::string& say) {
    say += {socks_version, char{1}, char{0}};
    say += socks_address(host_, port_);
    stage_ = stage::reply;
  }
  step on_reply(octets heard) const {
    if (heard.size() < 5) return {};
    if (heard[0] != socks_version) return {web_errc::not_socks};
    if (heard[1] != 0) return {socks_failure(heard[1])};
    std::size_t size = 6; // version, reply, reserved, kind, port
    switch (heard[3]) {
    case 1: size += 4; break;
    case 3: size += 1U + heard[4]; break;
    case 4: size += 16; break;
    default: return {web_errc::not_socks};
    }
    if (heard.size() < size) return {};
    return {{}, true, size};
  }

  const std::string user_;
  const std::string password_;
  const std::string host_;
  const std::uint16_t port_;
  stage stage_ = stage::begin;
};

} // namespace

std::unique_ptr<dialogue> ask_proxy(const proxy_endpoint& proxy, const std::string& host,
                                    std::uint16_t port) {
  if (proxy.kind == proxy_kind::http) return std::make_unique<connect_dialogue>(proxy, authority(host, port));
  return std::make_unique<socks_dialogue>(proxy, host, port);
}

} // namespace troupe::runtime
