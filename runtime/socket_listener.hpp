// socket_listener: the accept loop over any stream socket of Asio, written once.
//
// Lives here: arrival_gate (through which arrivals pass until it is closed), listening, socket_listener.
// Holds:   one accept at a time, straight into the io_context of the home that was chosen. When
//          descriptors or memory run short, the loop rests for a moment and goes on.
// Threads: begin on any thread; close on the acceptor's home; the gate on any.
// Errors:  begin() answers the system's.
#pragma once

#include "clock.hpp"
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
    if (handler_)
      handler_(to, std::move(came));
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

template <class Protocol>
class socket_listener final : public listening,
                              public std::enable_shared_from_this<socket_listener<Protocol>> {
public:
  using socket = boost::asio::basic_stream_socket<Protocol>;
  using address = typename Protocol::endpoint;
  using chooser = std::function<home&()>;
  /// On the thread of the home that `came` belongs to.
  using arrival = std::function<void(home&, socket came)>;

  socket_listener(home& where, chooser choose, arrival arrive)
      : home_{where}, choose_{std::move(choose)}, arrive_{std::move(arrive)}, acceptor_{where.io()} {}
  ~socket_listener() override { close(); }

  std::error_code begin(const address& where, int queue) {
    boost::system::error_code error;
    acceptor_.open(where.protocol(), error);
    if (!error)
      acceptor_.set_option(boost::asio::socket_base::reuse_address{true}, error);
    if (!error)
      acceptor_.bind(where, error);
    if (!error)
      acceptor_.listen(queue, error);
    if (error)
      return error;
    home_.post([self = this->shared_from_this()] { self->accept(); });
    return {};
  }
  address bound() const {
    boost::system::error_code ignored;
    return acceptor_.local_endpoint(ignored);
  }
  void unlink_when_closed(std::string path) { path_ = std::move(path); }

  void close() noexcept override {
    rest_.disarm();
    boost::system::error_code ignored;
    acceptor_.close(ignored);
    if (!path_.empty())
      ::unlink(std::exchange(path_, {}).c_str());
  }

private:
  static constexpr std::chrono::milliseconds moment_of_rest{100};

  void accept() {
    if (!acceptor_.is_open())
      return;
    home& to = choose_();
    acceptor_.async_accept(
        to.io(), [self = this->shared_from_this(), &to](const boost::system::error_code& error, socket came) {
          self->on_accepted(to, error, std::move(came));
        });
  }

  void on_accepted(home& to, const boost::system::error_code& error, socket came) {
    if (!acceptor_.is_open())
      return;
    if (error && error != boost::system::errc::connection_aborted) {
      home_.time().arm_in(rest_, moment_of_rest);
      return;
    }
    if (!error)
      hand_over(to, std::move(came));
    accept();
  }

  void hand_over(home& to, socket came) {
    if (&to == &home_)
      arrive_(to, std::move(came));
    else
      to.post([self = this->shared_from_this(), &to, came = std::move(came)]() mutable {
        self->arrive_(to, std::move(came));
      });
  }

  home& home_;
  chooser choose_;
  arrival arrive_;
  boost::asio::basic_socket_acceptor<Protocol> acceptor_;
  std::string path_; // of a socket file that is ours
  deadline rest_{calls<&socket_listener::accept>, *this};
};

} // namespace troupe::runtime
