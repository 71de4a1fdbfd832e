// raw_client: a scripted MQTT client over a TCP socket.
//
// Lives here: raw_client.
// Holds:   blocks until what is waited for came; fails the test instead of hanging.
#pragma once

#include "script_client.hpp"

#include <gtest/gtest.h>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdlib>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace troupe::test {

class raw_client final : public script_client {
public:
  /// `endpoint` as broker::listen answered it. A receive buffer of 0 leaves the choice to the system.
  explicit raw_client(std::string_view endpoint, int receive_buffer = 0) {
    const auto port = std::atoi(std::string{endpoint.substr(endpoint.rfind(':') + 1)}.c_str());
    socket_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (receive_buffer != 0)
      ::setsockopt(socket_, SOL_SOCKET, SO_RCVBUF, &receive_buffer, sizeof receive_buffer);
    const int on = 1;
    ::setsockopt(socket_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_port = htons(static_cast<std::uint16_t>(port));
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (::connect(socket_, reinterpret_cast<const sockaddr*>(&to), sizeof to) != 0) hang_up();
    is_connected_ = socket_ >= 0;
  }
  ~raw_client() override { hang_up(); }

  bool is_connected() const { return is_connected_; }
  void send(const std::vector<protocol::octet>& bytes) override {
    for (std::size_t at = 0; at < bytes.size() && socket_ >= 0;) {
      const auto sent = ::send(socket_, bytes.data() + at, bytes.size() - at, MSG_NOSIGNAL);
      if (sent <= 0) return;
      at += static_cast<std::size_t>(sent);
    }
  }
  void hang_up() {
    if (const int gone = std::exchange(socket_, -1); gone >= 0) ::close(gone);
  }
  /// Closes so that the peer sees a reset.
  void reset() {
    const linger now{1, 0};
    ::setsockopt(socket_, SOL_SOCKET, SO_LINGER, &now, sizeof now);
    hang_up();
  }

  /// The next packet; of type 0 when the connection ended before.
  seen next() {
    while (heard_.empty()) {
      if (!read()) return {};
    }
    seen one = std::move(heard_.front());
    heard_.erase(heard_.begin());
    return one;
  }
  /// The next packet of this type, others being dropped.
  seen next(protocol::packet_type type) {
    for (;;) {
      seen one = next();
      if (one.type == type || one.type == protocol::packet_type{}) return one;
    }
  }
  /// Octets that came and are no whole packet yet.
  std::size_t rest() const { return rest_.size(); }
  /// The same, after what the system has for us now; nothing is waited for.
  std::size_t rest_now() {
    protocol::octet some[4'096];
    const auto got = ::recv(socket_, some, sizeof some, MSG_DONTWAIT);
    if (got > 0) rest_.insert(rest_.end(), some, some + got);
    cut();
    return rest_.size();
  }
  std::vector<std::string> payloads(std::size_t count) {
    std::vector<std::string> all;
    while (all.size() < count) {
      seen one = next(protocol::packet_type::publish);
      if (one.type == protocol::packet_type{}) break;
      all.push_back(std::move(one.payload));
    }
    return all;
  }
  /// Drops what comes until the peer closes.
  bool sees_end() {
    while (next().type != protocol::packet_type{}) {}
    return is_ended_;
  }
  /// Everything said so far has been handled when this returns.
  void sync() {
    send({0xC0, 0x00});
    EXPECT_EQ(next(protocol::packet_type::pingresp).type, protocol::packet_type::pingresp);
  }
  /// Subscribes, and returns when that is granted.
  void listen_to(std::string_view filter, protocol::qos quality = protocol::qos::exactly_once) {
    subscribe(filter, quality);
    const seen answer = next(protocol::packet_type::suback);
    ASSERT_EQ(answer.codes.size(), 1U) << filter;
    EXPECT_FALSE(protocol::is_failure(answer.codes[0])) << filter;
  }
  seen say_hello(const connect_options& how = {}) {
    connect(how);
    return next(protocol::packet_type::connack);
  }

private:
  bool read() {
    if (is_ended_ || socket_ < 0) return false;
    pollfd wait{socket_, POLLIN, 0};
    if (::poll(&wait, 1, 30'000) <= 0) {
      ADD_FAILURE() << "nothing came for 30 seconds";
      return false;
    }
    protocol::octet some[65'536];
    const auto got = ::recv(socket_, some, sizeof some, 0);
    if (got <= 0) {
      is_ended_ = true;
      return false;
    }
    rest_.insert(rest_.end(), some, some + got);
    cut();
    return true;
  }
  /// Takes whole packets off the front of `rest_`.
  void cut() {
    std::size_t begin = 0;
    for (;;) {
      std::size_t at = begin + 1;
      std::size_t length = 0;
      unsigned shift = 0;
      bool is_whole = false;
      for (; at < rest_.size() && shift < 28; shift += 7U) {
        length |= static_cast<std::size_t>(rest_[at] & 0x7FU) << shift;
        if ((rest_[at++] & 0x80U) != 0) continue;
        is_whole = at + length <= rest_.size();
        break;
      }
      if (!is_whole) break;
      const auto first = rest_.begin() + static_cast<std::ptrdiff_t>(begin);
      begin = at + length;
      for (seen& one : decode({first, rest_.begin() + static_cast<std::ptrdiff_t>(begin)}))
        heard_.push_back(std::move(one));
    }
    rest_.erase(rest_.begin(), rest_.begin() + static_cast<std::ptrdiff_t>(begin));
  }

  int socket_ = -1;
  bool is_connected_ = false;
  bool is_ended_ = false;
  std::vector<protocol::octet> rest_{};
  std::vector<seen> heard_{};
};

} // namespace troupe::test
