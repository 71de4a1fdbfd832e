// port_holder: a port of 127.0.0.1 at which nobody is at home.
//
// Lives here: port_holder.
// Holds:   the system gives the port to nobody else, but lets those have it who ask for it by its number
//          and share addresses, as brokers do. Refuses who knocks, as long as nobody listens; after fill()
//          it is a black hole.
#pragma once

#include <gtest/gtest.h>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdint>
#include <string>
#include <vector>

namespace troupe::test {

class port_holder {
public:
  /// Listens with a queue of this length; less than 0: does not listen.
  explicit port_holder(int queue) : socket_{::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)} {
    const int on = 1;
    ::setsockopt(socket_, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    sockaddr_in where = address();
    socklen_t size = sizeof where;
    auto* const raw = reinterpret_cast<sockaddr*>(&where);
    EXPECT_EQ(::bind(socket_, raw, size), 0);
    if (queue >= 0) {
      EXPECT_EQ(::listen(socket_, queue), 0);
    }
    EXPECT_EQ(::getsockname(socket_, raw, &size), 0);
    port_ = ntohs(where.sin_port);
  }
  port_holder(const port_holder&) = delete;
  port_holder& operator=(const port_holder&) = delete;
  ~port_holder() {
    for (const int each : fillers_) ::close(each);
    ::close(socket_);
  }

  std::uint16_t port() const { return port_; }
  std::string url() const { return "mqtt://127.0.0.1:" + std::to_string(port_); }
  /// From now on the system drops who knocks: the queue, of length 0, is full and nobody accepts.
  void fill() {
    const sockaddr_in to = address();
    for (int count = 0; count != 3; ++count) {
      fillers_.push_back(::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
      static_cast<void>(::connect(fillers_.back(), reinterpret_cast<const sockaddr*>(&to), sizeof to));
    }
  }

  sockaddr_in address() const {
    sockaddr_in where{};
    where.sin_family = AF_INET;
    where.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    where.sin_port = htons(port_);
    return where;
  }

private:
  int socket_;
  std::uint16_t port_ = 0;
  std::vector<int> fillers_;
};

} // namespace troupe::test
