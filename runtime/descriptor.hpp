// descriptor: sockets that programs started by ours do not inherit.
//
// Lives here: open_socket(), accept_socket().
// Holds:   the mark (close-on-exec) is set in the very call that makes the descriptor, so that a program
//          started by another thread at that moment does not get it either. Asio sets none.
// Threads: whoever the socket belongs to.
// Errors:  the system's.
#pragma once

#include <boost/system/error_code.hpp>

#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>

namespace troupe::runtime {

/// Opens `socket` (or an acceptor), which is closed, for `protocol`.
template <class Socket, class Protocol>
boost::system::error_code open_socket(Socket& socket, const Protocol& protocol) noexcept {
  const int made = ::socket(protocol.family(), protocol.type() | SOCK_CLOEXEC, protocol.protocol());
  boost::system::error_code error;
  if (made < 0)
    error.assign(errno, boost::system::system_category());
  else if (socket.assign(protocol, made, error); error)
    ::close(made);
  return error;
}

/// Who waits at `acceptor`, without waiting for him: would_block when there is nobody.
template <class Acceptor, class Socket>
boost::system::error_code accept_socket(Acceptor& acceptor, Socket& came) noexcept {
  boost::system::error_code error;
  const auto protocol = acceptor.local_endpoint(error).protocol();
  if (error) return error;
  int made = -1;
  do made = ::accept4(acceptor.native_handle(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
  while (made < 0 && errno == EINTR);
  if (made < 0)
    error.assign(errno, boost::system::system_category());
  else if (came.assign(protocol, made, error); error)
    ::close(made);
  return error;
}

} // namespace troupe::runtime
