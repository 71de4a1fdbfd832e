// raw_tls: OpenSSL straight over a socket, for the raw limit of the TLS rows.
//
// Lives here: raw_tls, secure_pair().
// Holds:   nothing of the library's takes part. Reads take whole records, so that none stays where
//          epoll does not see it.
// Threads: one end belongs to one thread.
// Errors:  std::runtime_error in words.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <memory>
#include <utility>

namespace troupe::bench {

class raw_tls {
public:
  static constexpr std::size_t record = std::size_t{16} << 10U;

  struct session;
  explicit raw_tls(std::unique_ptr<session> made) noexcept;
  ~raw_tls();

  /// As recv and send on a non-blocking socket: -1 and EAGAIN when the socket has nothing or no room.
  ssize_t receive(void* into, std::size_t room);
  ssize_t send(const void* from, std::size_t size);

private:
  std::unique_ptr<session> session_;
};

/// A client over `near` and a server over `far`, after their handshake.
std::pair<std::unique_ptr<raw_tls>, std::unique_ptr<raw_tls>> secure_pair(int near, int far);

} // namespace troupe::bench
