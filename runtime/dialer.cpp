#include "dialer.hpp"

#include "descriptor.hpp"
#include "greeter.hpp"
#include "home.hpp"
#include "layers.hpp"
#include "loopback_transport.hpp"
#include "socket_stream.hpp"
#include "stream_transport.hpp"
#include "tcp_race.hpp"
#include "tcp_transport.hpp"
#include "tls_context.hpp"
#include "unix_transport.hpp"
#include "websocket_dialogue.hpp"

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
    if (options_.connector) return connect_elsewhere(to);
    if (to.kind == endpoint_kind::unix_socket) return connect_unix(to.path);
    if (to.kind == endpoint_kind::loopback) return connect_loopback(to.host);
    goal_ = to;
    if (const auto wrong = prepare())
      return home_.post([self = shared_from_this(), wrong] { self->finish(wrong); });
    if (options_.proxy)
      resolve(options_.proxy->host, options_.proxy->port);
    else
      resolve(to.host, to.port);
  }

  void give_up() noexcept {
    done_ = nullptr;
    pending_.reset();
    race_.reset();
    if (greeter_) std::exchange(greeter_, nullptr)->give_up();
    timeout_.disarm();
    boost::system::error_code ignored;
    unix_socket_.close(ignored);
  }
  bool is_open() const noexcept { return done_ != nullptr; }

private:
  std::error_code prepare() {
    if (const auto wrong = check_headers(options_.headers)) return wrong;
    if (!options_.socket.local_address.empty()) {
      boost::system::error_code error;
      local_ = boost::asio::ip::make_address(options_.socket.local_address, error);
      if (error) return error;
    }
    if (!goal_.is_secure() || options_.tls) return {};
    auto usual = tls_context::make(tls_role::client, {});
    if (usual) options_.tls = std::move(*usual);
    return usual.error();
  }

  void resolve(const std::string& host, std::uint16_t port) {
    const auto names = options_.names ? options_.names : system_resolver();
    pending_ = names->resolve(home_, host, port,
                              [this](result<std::vector<address>> found) { on_resolved(std::move(found)); });
  }

  void on_resolved(result<std::vector<address>> found) {
    if (!is_open()) return;
    if (!found) return finish(found.error());
    const bool had_some = !found->empty();
    std::erase_if(*found, [this](const address& each) { return !is_wanted(each); });
    if (found->empty() && had_some)
      return finish(std::make_error_code(std::errc::address_family_not_supported));
    race_ = tcp_race::begin(
        home_, std::move(*found), options_.stagger,
        [this](result<boost::asio::ip::tcp::socket> won) { on_connected(std::move(won)); },
        [this](boost::asio::ip::tcp::socket& opened) { return make_ready(opened); });
  }

  bool is_wanted(const address& each) const {
    const bool is_v4 = each.protocol() == boost::asio::ip::tcp::v4();
    if (options_.socket.family != address_family::any
        && is_v4 != (options_.socket.family == address_family::v4))
      return false;
    return options_.socket.local_address.empty() || is_v4 == local_.is_v4();
  }

  std::error_code make_ready(boost::asio::ip::tcp::socket& opened) const {
    boost::system::error_code error;
    if (options_.socket.keep_alive) opened.set_option(boost::asio::socket_base::keep_alive{true}, error);
    // Before the connection is asked for, since the window is agreed upon then.
    set_buffers(opened, options_.pipe.send_buffer, options_.pipe.receive_buffer);
    if (!error && !options_.socket.local_address.empty()) opened.bind({local_, 0}, error);
    return error;
  }

  void on_connected(result<boost::asio::ip::tcp::socket> won) {
    if (!is_open()) return;
    if (!won) return finish(won.error());
    auto socket = make_tcp_stream(std::move(*won), options_.pipe);
    if (!has_layers(goal_, options_))
      return finish(make_stream_transport(home_, std::move(socket), options_.pipe));
    auto stream = client_layers(home_, std::move(socket), goal_, options_);
    if (!stream) return finish(std::make_error_code(std::errc::not_enough_memory));
    greeter_ = greeter::begin(home_, std::move(stream), std::chrono::milliseconds{0},
                              [self = shared_from_this()](auto how) { self->on_greeted(std::move(how)); });
  }

  void on_greeted(result<std::unique_ptr<octet_stream>> how) {
    if (!how) return finish(how.error());
    finish(make_stream_transport(home_, std::move(*how), options_.pipe));
  }

  void connect_unix(const std::string& path) {
    if (const std::error_code wrong = open_socket(unix_socket_, boost::asio::local::stream_protocol{}))
      return home_.post([self = shared_from_this(), wrong] { self->finish(wrong); });
    unix_socket_.async_connect(unix_address(path),
                               [self = shared_from_this(), path](const boost::system::error_code& error) {
                                 if (!self->is_open()) return;
                                 if (error) return self->finish(std::error_code{error});
                                 self->finish(make_unix_transport(self->home_, std::move(self->unix_socket_),
                                                                  path, self->options_.pipe));
                               });
  }

  void connect_elsewhere(const endpoint& to) {
    pending_ = options_.connector->connect(home_, to, options_.pipe,
                                           [this](result<transport_ptr> got) { finish(std::move(got)); });
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
  answer done_;                    // empty: nothing to do any more
  std::shared_ptr<void> pending_;  // the question that is under way; its answer comes to us while it lives
  endpoint goal_;                  // of a socket
  boost::asio::ip::address local_; // to dial from, where one was named
  std::shared_ptr<tcp_race> race_;
  std::shared_ptr<greeter> greeter_;
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
