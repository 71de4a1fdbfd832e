#include "dialer.hpp"

#include "home.hpp"
#include "loopback_transport.hpp"
#include "tcp_race.hpp"
#include "tcp_transport.hpp"
#include "unix_transport.hpp"

#include <utility>

namespace troupe::runtime {

using protocol::result;

/// One dial() from begin to answer. Handlers that are under way keep it alive; once `done_` is empty
/// they find nothing to do.
class dialer::attempt : public std::enable_shared_from_this<attempt> {
public:
  attempt(home& where, const dial_options& options, answer done)
      : home_{where}, options_{options}, done_{std::move(done)}, unix_socket_{where.io()} {}

  void begin(const endpoint& to) {
    home_.time().arm_in(timeout_, options_.timeout);
    switch (to.kind) {
    case endpoint_kind::tcp: return resolve(to);
    case endpoint_kind::unix_socket: return connect_unix(to.path);
    case endpoint_kind::loopback: return connect_loopback(to.host);
    case endpoint_kind::tls:
    case endpoint_kind::websocket:
    case endpoint_kind::secure_websocket: break;
    }
    home_.post([self = shared_from_this()] {
      self->finish(std::make_error_code(std::errc::protocol_not_supported));
    });
  }

  void give_up() noexcept {
    done_ = nullptr;
    pending_.reset();
    race_.reset();
    timeout_.disarm();
    boost::system::error_code ignored;
    unix_socket_.close(ignored);
  }
  bool is_open() const noexcept { return done_ != nullptr; }

private:
  void resolve(const endpoint& to) {
    const auto names = options_.names ? options_.names : system_resolver();
    pending_ = names->resolve(home_, to.host, to.port,
                              [this](result<std::vector<address>> found) { on_resolved(std::move(found)); });
  }

  void on_resolved(result<std::vector<address>> found) {
    if (!is_open()) return;
    if (!found) return finish(found.error());
    race_ =
        tcp_race::begin(home_, std::move(*found), options_.stagger,
                        [this](result<boost::asio::ip::tcp::socket> won) { on_connected(std::move(won)); });
  }

  void on_connected(result<boost::asio::ip::tcp::socket> won) {
    if (!is_open()) return;
    if (!won) return finish(won.error());
    finish(make_tcp_transport(home_, std::move(*won), options_.pipe));
  }

  void connect_unix(const std::string& path) {
    unix_socket_.async_connect(unix_address(path),
                               [self = shared_from_this(), path](const boost::system::error_code& error) {
                                 if (!self->is_open()) return;
                                 if (error) return self->finish(std::error_code{error});
                                 self->finish(make_unix_transport(self->home_, std::move(self->unix_socket_),
                                                                  path, self->options_.pipe));
                               });
  }

  void connect_loopback(const std::string& name) {
    pending_ = dial_loopback(home_, name, options_.pipe,
                             [this](result<transport_ptr> got) { finish(std::move(got)); });
  }

  void on_timeout() { finish(std::make_error_code(std::errc::timed_out)); }

  void finish(result<transport_ptr> with) {
    const auto self = shared_from_this(); // the answer may drop the dialer
    const auto done = std::exchange(done_, nullptr);
    give_up();
    if (done) done(std::move(with));
  }

  home& home_;
  dial_options options_;
  answer done_;                   // empty: nothing to do any more
  std::shared_ptr<void> pending_; // the question that is under way; its answer comes to us while it lives
  std::shared_ptr<tcp_race> race_;
  boost::asio::local::stream_protocol::socket unix_socket_;
  deadline timeout_{calls<&attempt::on_timeout>, *this};
};

dialer::dialer(home& where, dial_options options) : home_{where}, options_{std::move(options)} {}

dialer::~dialer() { cancel(); }

void dialer::dial(const endpoint& to, answer done) {
  cancel();
  attempt_ = std::make_shared<attempt>(home_, options_, std::move(done));
  attempt_->begin(to);
}

void dialer::cancel() noexcept {
  if (attempt_) std::exchange(attempt_, nullptr)->give_up();
}

bool dialer::is_dialling() const noexcept { return attempt_ != nullptr && attempt_->is_open(); }

} // namespace troupe::runtime
