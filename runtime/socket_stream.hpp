// socket_stream: an octet stream over a connected socket of Asio.
//
// Lives here: socket_stream, for every stream protocol that has sockets.
// Holds:   the system calls are made directly, without waiting; Asio watches for readiness only.
// Threads: the home's.
// Costs:   one system call per step.
#pragma once

#include "octet_stream.hpp"

#include <boost/asio/basic_stream_socket.hpp>

#include <sys/socket.h>

#include <cerrno>
#include <string>
#include <utility>

namespace troupe::runtime {

template <class Protocol>
class socket_stream final : public octet_stream {
public:
  using socket = boost::asio::basic_stream_socket<Protocol>;

  socket_stream(socket connected, std::string peer_name) noexcept
      : socket_{std::move(connected)}, peer_name_{std::move(peer_name)} {}

  step read(std::span<iovec> into) noexcept override {
    msghdr message = over(into);
    return as_step([&] { return ::recvmsg(socket_.native_handle(), &message, MSG_DONTWAIT); });
  }
  step write(std::span<iovec> from) noexcept override {
    const msghdr message = over(from);
    return as_step([&] { return ::sendmsg(socket_.native_handle(), &message, MSG_DONTWAIT | MSG_NOSIGNAL); });
  }
  void wait(readiness_handler handler, readiness which) override {
    socket_.async_wait(which == readiness::to_read ? socket::wait_read : socket::wait_write,
                       std::move(handler));
  }
  void end_writing() noexcept override {
    boost::system::error_code ignored;
    socket_.shutdown(socket::shutdown_send, ignored);
  }
  void close() noexcept override {
    boost::system::error_code ignored;
    socket_.close(ignored);
  }
  std::string peer_name() const override { return peer_name_; }

private:
  static msghdr over(std::span<iovec> parts) noexcept {
    msghdr message{};
    message.msg_iov = parts.data();
    message.msg_iovlen = parts.size();
    return message;
  }
  template <class Call>
  static step as_step(Call call) noexcept {
    for (;;) {
      const auto count = call();
      if (count >= 0) return {static_cast<std::size_t>(count), {}};
      if (errno != EINTR) return {0, {errno, std::system_category()}};
    }
  }

  socket socket_;
  std::string peer_name_;
};

/// The buffers of the system, where the settings name sizes. Refusals are not worth a connection.
template <class Socket>
void set_buffers(Socket& socket, std::size_t send_buffer, std::size_t receive_buffer) noexcept {
  boost::system::error_code ignored;
  if (send_buffer != 0)
    socket.set_option(boost::asio::socket_base::send_buffer_size{static_cast<int>(send_buffer)}, ignored);
  if (receive_buffer != 0)
    socket.set_option(boost::asio::socket_base::receive_buffer_size{static_cast<int>(receive_buffer)},
                      ignored);
}

} // namespace troupe::runtime
