#include "websocket_dialogue.hpp"

#include "base64.hpp"
#include "http_message.hpp"
#include "web_error.hpp"

#include <boost/beast/core/string.hpp>
#include <boost/beast/http/rfc7230.hpp>
#include <boost/beast/http/verb.hpp>

#include <openssl/evp.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

namespace troupe::runtime {

using protocol::octets;
namespace beast = boost::beast;
namespace http = beast::http;

namespace {

bool is_upgrade(const http::fields& of) {
  return http::token_list{of[http::field::connection]}.exists("upgrade")
         && http::token_list{of[http::field::upgrade]}.exists("websocket");
}

class request_dialogue final : public dialogue {
public:
  request_dialogue(const std::string& authority, const std::string& path,
                   const std::vector<web_header>& headers, chance_source chance)
      : key_{fresh_key(chance)} {
    text_ = "GET " + path + " HTTP/1.1\r\nHost: " + authority
            + "\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
              "Sec-WebSocket-Protocol: mqtt\r\nSec-WebSocket-Key: "
            + key_ + "\r\n";
    for (const web_header& one : headers) text_ += one.name + ": " + one.value + "\r\n";
    text_ += "\r\n";
  }

  step go_on(octets heard, std::string& say) override {
    if (key_.empty()) return {web_errc::no_chance};
    if (!text_.empty()) {
      say = std::exchange(text_, {});
      return {};
    }
    const auto size = find_http_header(heard);
    if (!size || *size == 0) return {size.error()};
    const auto answer = read_http_response(heard.first(*size));
    if (!answer) return {answer.error()};
    return {judge(*answer), true, *size};
  }

private:
  /// Empty: there is none to be had.
  static std::string fresh_key(chance_source chance) {
    std::array<protocol::octet, 16> key{};
    return chance(key) ? base64({key.data(), key.size()}) : std::string{};
  }
  std::error_code judge(const http_response& answer) const {
    if (answer.result_int() != 101) return http_status(static_cast<int>(answer.result_int()));
    if (!is_upgrade(answer) || answer["Sec-WebSocket-Accept"] != websocket_accept_key(key_)
        || answer.count("Sec-WebSocket-Extensions") != 0)
      return web_errc::bad_upgrade;
    if (answer["Sec-WebSocket-Protocol"] != "mqtt") return web_errc::no_mqtt_protocol;
    return {};
  }

  std::string key_;
  std::string text_;
};

class answer_dialogue final : public dialogue {
public:
  explicit answer_dialogue(std::string path) : path_{std::move(path)} {}

  step go_on(octets heard, std::string& say) override {
    const auto size = find_http_header(heard);
    if (size && *size == 0) return {};
    if (!size) return {size.error()};
    const auto request = read_http_request(heard.first(*size));
    if (!request) {
      say = refusal("400 Bad Request");
      return {request.error()};
    }
    const auto wrong = judge(*request, say);
    if (!wrong) accept(*request, say);
    return {wrong, true, *size};
  }

private:
  static std::string refusal(std::string_view status, std::string_view more = {}) {
    return "HTTP/1.1 " + std::string{status} + "\r\nConnection: close\r\nContent-Length: 0\r\n"
           + std::string{more} + "\r\n";
  }
  std::error_code judge(const http_request& request, std::string& say) const {
    const auto refuse = [&say](web_errc why, std::string_view status, std::string_view more = {}) {
      say = refusal(status, more);
      return make_error_code(why);
    };
    if (request.method() != http::verb::get)
      return refuse(web_errc::bad_upgrade, "405 Method Not Allowed", "Allow: GET\r\n");
    if (request.version() != 11) return refuse(web_errc::not_http, "505 HTTP Version Not Supported");
    const auto target = request.target().substr(0, request.target().find('?'));
    if (path_ != "/" && target != beast::string_view{path_})
      return refuse(web_errc::bad_upgrade, "404 Not Found");
    if (!is_upgrade(request))
      return refuse(web_errc::bad_upgrade, "426 Upgrade Required",
                    "Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\n");
    if (request["Sec-WebSocket-Version"] != "13")
      return refuse(web_errc::bad_upgrade, "426 Upgrade Required", "Sec-WebSocket-Version: 13\r\n");
    if (request.count("Host") != 1 || !is_key(request["Sec-WebSocket-Key"]))
      return refuse(web_errc::bad_upgrade, "400 Bad Request");
    if (protocol_of(request).empty()) return refuse(web_errc::no_mqtt_protocol, "400 Bad Request");
    return {};
  }
  /// 16 octets in base64.
  static bool is_key(beast::string_view key) noexcept {
    return key.size() == 24 && key.ends_with("==") && key.find_first_of(" \t,") == beast::string_view::npos;
  }
  /// What both sides call MQTT; the older name is that of the time before 3.1.1.
  static std::string_view protocol_of(const http_request& request) {
    http::token_list offered{request["Sec-WebSocket-Protocol"]};
    for (const std::string_view ours : {"mqtt", "mqttv3.1"})
      if (offered.exists({ours.data(), ours.size()})) return ours;
    return {};
  }
  static void accept(const http_request& request, std::string& say) {
    say = "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
          "Sec-WebSocket-Protocol: "
          + std::string{protocol_of(request)} + "\r\nSec-WebSocket-Accept: "
          + websocket_accept_key(std::string{request["Sec-WebSocket-Key"]}) + "\r\n\r\n";
  }

  std::string path_;
};

bool is_token_character(char c) noexcept {
  constexpr std::string_view more = "!#$%&'*+-.^_`|~";
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')
         || more.find(c) != std::string_view::npos;
}

bool is_value_character(char c) noexcept {
  return c == '\t' || (static_cast<unsigned char>(c) >= 0x20 && c != 0x7F);
}

} // namespace

std::unique_ptr<dialogue> websocket_request(const std::string& authority, const std::string& path,
                                            const std::vector<web_header>& headers, chance_source chance) {
  return std::make_unique<request_dialogue>(authority, path, headers, chance);
}

std::unique_ptr<dialogue> websocket_answer(std::string path) {
  return std::make_unique<answer_dialogue>(std::move(path));
}

std::error_code check_headers(const std::vector<web_header>& headers) noexcept {
  for (const web_header& one : headers)
    if (one.name.empty() || !std::all_of(one.name.begin(), one.name.end(), is_token_character)
        || !std::all_of(one.value.begin(), one.value.end(), is_value_character))
      return web_errc::bad_header;
  return {};
}

std::string websocket_accept_key(const std::string& key) {
  const std::string text = key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"; // RFC 6455, 1.3
  std::array<unsigned char, 20> digest{};
  EVP_Digest(text.data(), text.size(), digest.data(), nullptr, EVP_sha1(), nullptr);
  return base64(digest);
}

} // namespace troupe::runtime
