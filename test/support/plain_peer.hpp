// plain_peer: a blocking socket in the hands of a test: it speaks whatever octets the test says.
//
// Lives here: plain_listener (takes one connection), plain_peer.
// Threads: one test thread.
#pragma once

#include <gtest/gtest.h>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace troupe::test {

class plain_peer {
public:
  explicit plain_peer(int socket) : socket_{socket} {
    const timeval limit{30, 0}; // fails instead of hanging
    ::setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
  }
  plain_peer(plain_peer&& other) noexcept : socket_{std::exchange(other.socket_, -1)} {}
  plain_peer& operator=(plain_peer&&) = delete;
  ~plain_peer() { close(); }

  static plain_peer dial(std::uint16_t port) {
    const int made = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    to.sin_port = htons(port);
    EXPECT_EQ(::connect(made, reinterpret_cast<sockaddr*>(&to), sizeof to), 0);
    return plain_peer{made};
  }

  void say(std::string_view what) {
    while (!what.empty()) {
      const auto count = ::send(socket_, what.data(), what.size(), MSG_NOSIGNAL);
      if (count <= 0) return; // the other side has gone, and the test will see
      what.remove_prefix(static_cast<std::size_t>(count));
    }
  }
  /// The next `count` octets; fewer when the stream ends.
  std::string hear(std::size_t count) {
    std::string heard;
    char some[4096];
    while (heard.size() < count) {
      const auto got = ::recv(socket_, some, std::min(sizeof some, count - heard.size()), 0);
      if (got <= 0) break;
      heard.append(some, static_cast<std::size_t>(got));
    }
    return heard;
  }
  /// Everything up to and with `mark`.
  std::string hear_until(std::string_view mark) {
    std::string heard;
    while (!heard.ends_with(mark)) {
      const std::string next = hear(1);
      if (next.empty()) break;
      heard += next;
    }
    return heard;
  }
  /// Everything until the stream ends.
  std::string hear_all() {
    std::string heard;
    for (std::string next = hear(1); !next.empty(); next = hear(1)) heard += next;
    return heard;
  }
  void end_writing() { ::shutdown(socket_, SHUT_WR); }
  /// The other side sees a reset instead of an end.
  void reset() {
    const linger now{1, 0};
    ::setsockopt(socket_, SOL_SOCKET, SO_LINGER, &now, sizeof now);
    close();
  }
  void close() {
    if (socket_ >= 0) ::close(std::exchange(socket_, -1));
  }
  int socket() const noexcept { return socket_; }

private:
  int socket_;
};

class plain_listener {
public:
  plain_listener() : socket_{::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)} {
    sockaddr_in any{};
    any.sin_family = AF_INET;
    any.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    auto* const name = reinterpret_cast<sockaddr*>(&any);
    socklen_t size = sizeof any;
    EXPECT_EQ(::bind(socket_, name, size), 0);
    EXPECT_EQ(::listen(socket_, 8), 0);
    EXPECT_EQ(::getsockname(socket_, name, &size), 0);
    port_ = ntohs(any.sin_port);
    const timeval limit{30, 0};
    ::setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
  }
  ~plain_listener() { ::close(socket_); }
  plain_listener(const plain_listener&) = delete;
  plain_listener& operator=(const plain_listener&) = delete;

  std::uint16_t port() const noexcept { return port_; }
  plain_peer accept() const {
    const int came = ::accept4(socket_, nullptr, nullptr, SOCK_CLOEXEC);
    EXPECT_GE(came, 0);
    return plain_peer{came};
  }

private:
  int socket_;
  std::uint16_t port_ = 0;
};

} // namespace troupe::test
