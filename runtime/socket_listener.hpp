// socket_listener: the accept loop over any stream socket of Asio, written once.
//
// Lives here: arrival_gate (through which arrivals pass until it is closed), listening, loose_socket,
//          socket_listener.
// Holds:   one accept at a time. When descriptors or memory run short, the loop rests for a moment and
//          goes on. An object of an io_context is touched on the thread of its home only: whoever
//          arrives for another home goes there as a bare descriptor. None is inherited by programs.
// Threads: begin on any thread; close on the acceptor's home; the gate on any.
// Errors:  begin() answers the system's.
#pragma once

#include "clock.hpp"
#include "descriptor.hpp"
#include "home.hpp"
#include "transport.hpp"

#include <boost/asio/basic_socket_acceptor.hpp>
#include <boost/asio/basic_stream_socket.hpp>

#include <unistd.h>

#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

namespace troupe::runtime {

class arrival_gate {
public:
  explicit arrival_gate(std::function<void(home&, transport_ptr)> handler) : handler_{std::move(handler)} {}

  /// On the transport's home. Once closed, `came` is aborted instead.
  void let_in(home& to, transport_ptr came) {
    const std::lock_guard lock{mutex_};
    if (handler_) handler_(to, std::move(came));
  }
  /// Waits for a handler that is under way on another thread.
  void close() noexcept {
    const std::lock_guard lock{mutex_};
    handler_ = nullptr;
  }

private:
  std::mutex mutex_; // arrivals on different homes are handed over one after the other
  std::function<void(home&, transport_ptr)> handler_;
};

/// Something that listens.
class listening {
public:
  virtual ~listening() = default;
  virtual void close() noexcept = 0;
};

/// A descriptor on its way from one io_context to another; closed when it does not get there.
template <class Protocol>
class loose_socket {
public:
  template <class Socket>
  explicit loose_socket(Socket& from) noexcept {
    boost::system::error_code error;
    protocol_ = from.local_endpoint(error).protocol();
    handle_ = from.release(error);
    if (error) handle_ = none;
  }
  loose_socket(loose_socket&& other) noexcept
      : protocol_{other.protocol_}, handle_{std::exchange(other.handle_, none)} {}
  loose_socket& operator=(loose_socket&&) = delete;
  ~loose_socket() {
    if (handle_ != none) ::close(handle_);
  }

  /// On the thread that `into` belongs to. What cannot be watched there is closed.
  template <class Socket>
  void settle_in(Socket& into) noexcept {
    boost::system::error_code error;
    into.assign(protocol_, handle_, error);
    if (!error) handle_ = none;
  }

private:
  static constexpr int none = -1;
  Protocol protocol_ = typename Protocol::endpoint{}.protocol();
  int handle_ = none;
};

template <class Protocol>
class socket_listener final : public listening,
                              public std::enable_shared_from_this<socket_listener<Protocol>> {
public:
  using socket = boost::asio::basic_stream_socket<Protocol>;
  using acceptor = boost::asio::basic_socket_acceptor<Protocol>;
  using address = typename Protocol::endpoint;
  using chooser = std::function<home&()>;
  /// On the thread of the home that `came` belongs to.
  using arrival = std::function<void(home&, socket came)>;

  socket_listener(home& where, chooser choose, arrival arrive)
      : home_{where}, choose_{std::move(choose)}, arrive_{std::move(arrive)}, acceptor_{where.io()} {}
  ~socket_listener() override { close(); }

  std::error_code begin(const address& where, int queue) {
    boost::asio::io_context here{BOOST_ASIO_CONCURRENCY_HINT_UNSAFE}; // our home's is not for this thread
    acceptor first{here};
    boost::system::error_code error = open_socket(first, where.protocol());
    if (!error) first.set_option(boost::asio::socket_base::reuse_address{true}, error);
    if (!error) first.bind(where, error);
    if (!error) first.listen(queue, error);
    if (!error) first.native_non_blocking(true, error);
    if (!error) bound_ = first.local_endpoint(error);
    if (error) return error;
    home_.post([self = this->shared_from_this(), open = loose_socket<Protocol>{first}]() mutable {
      open.settle_in(self->acceptor_);
      self->accept();
    });
    return {};
  }
  /// After begin().
  const address& bound() const noexcept { return bound_; }
  void unlink_when_closed(std::string path) { path_ = std::move(path); }

  void close() noexcept override {
    rest_.disarm();
    boost::system::error_code ignored;
    acceptor_.close(ignored);
    if (!path_.empty()) ::unlink(std::exchange(path_, {}).c_str());
  }

private:
  static constexpr std::chrono::milliseconds moment_of_rest{100};

  void accept() {
    if (!acceptor_.is_open()) return;
    acceptor_.async_wait(acceptor::wait_read,
                         [self = this->shared_from_this()](const boost::system::error_code& error) {
                           self->on_callers(error);
                         });
  }

  void on_callers(boost::system::error_code error) {
    if (!acceptor_.is_open()) return;
    socket came{home_.io()};
    if (!error) error = accept_socket(acceptor_, came);
    const bool is_over_already = error == boost::system::errc::connection_aborted
                                 || error == boost::system::errc::operation_would_block;
    if (error && !is_over_already) {
      home_.time().arm_in(rest_, moment_of_rest);
      return;
    }
    if (!error) hand_over(choose_(), std::move(came));
    accept();
  }

  void hand_over(home& to, socket came) {
    if (&to == &home_) return arrive_(to, std::move(came));
    to.post([self = this->shared_from_this(), &to, loose = loose_socket<Protocol>{came}]() mutable {
      socket settled{to.io()};
      loose.settle_in(settled);
      if (settled.is_open()) self->arrive_(to, std::move(settled));
    });
  }

  home& home_;
  chooser choose_;
  arrival arrive_;
  acceptor acceptor_;
  address bound_;    // written by begin()
  std::string path_; // of a socket file that is ours
  deadline rest_{calls<&socket_listener::accept>, *this};
};

} // namespace troupe::runtime
