#include "loopback_socket.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

namespace troupe::bench {
namespace {

sockaddr_in loopback(std::uint16_t port) noexcept {
  sockaddr_in at{};
  at.sin_family = AF_INET;
  at.sin_port = htons(port);
  at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return at;
}

} // namespace

int listen_loopback(std::uint16_t port) {
  const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const int yes = 1;
  ::setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  const sockaddr_in at = loopback(port);
  if (::bind(socket, reinterpret_cast<const sockaddr*>(&at), sizeof at) == 0 && ::listen(socket, 4'096) == 0)
    return socket;
  const int why = errno;
  ::close(socket);
  throw std::system_error{why, std::generic_category(), "listen"};
}

std::uint16_t port_of(int socket) {
  sockaddr_in at{};
  socklen_t size = sizeof at;
  ::getsockname(socket, reinterpret_cast<sockaddr*>(&at), &size);
  return ntohs(at.sin_port);
}

int connect_loopback(std::uint16_t port) {
  const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const sockaddr_in at = loopback(port);
  if (::connect(socket, reinterpret_cast<const sockaddr*>(&at), sizeof at) != 0) {
    ::close(socket);
    return -1;
  }
  set_no_delay(socket);
  return socket;
}

void set_no_delay(int socket) noexcept {
  const int yes = 1;
  ::setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
}

std::uint16_t free_port() {
  const int socket = listen_loopback(0);
  const std::uint16_t port = port_of(socket);
  ::close(socket);
  return port;
}

} // namespace troupe::bench
