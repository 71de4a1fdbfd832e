#include "acceptor.hpp"

#include "homes.hpp"
#include "layers.hpp"
#include "lobby.hpp"
#include "loopback_transport.hpp"
#include "socket_listener.hpp"
#include "stream_transport.hpp"
#include "tcp_transport.hpp"
#include "tls_error.hpp"
#include "unix_transport.hpp"

#include <mutex>
#include <utility>

namespace troupe::runtime {

using protocol::result;

namespace {

using tcp = boost::asio::ip::tcp;
using local = boost::asio::local::stream_protocol;

class loopback_listening final : public listening {
public:
  loopback_listening(home& where, std::string name, const accept_options& options, acceptor::chooser choose,
                     std::shared_ptr<arrival_gate> gate)
      : where_{where},
        name_{std::move(name)},
        listener_{std::make_shared<loopback_listener>(
            where, options.pipe, std::move(choose),
            [gate](home& to, transport_ptr came) { gate->let_in(to, std::move(came)); })} {}

  std::error_code begin() {
    const bool is_free = where_.among().names().enter(name_, listener_);
    return is_free ? std::error_code{} : std::make_error_code(std::errc::address_in_use);
  }
  void close() noexcept override {
    listener_->close();
    where_.among().names().leave(name_, listener_.get());
  }

private:
  home& where_;
  std::string name_;
  std::shared_ptr<loopback_listener> listener_;
};

result<tcp::endpoint> address_to_bind(const endpoint& where) {
  boost::asio::io_context unused; // asked without waiting for it, a resolver starts no thread
  tcp::resolver names{unused};
  boost::system::error_code error;
  const auto flags = tcp::resolver::passive | tcp::resolver::numeric_service;
  const auto found = names.resolve(where.host, std::to_string(where.port), flags, error);
  if (error) return std::error_code{error};
  return found.begin()->endpoint();
}

/// A socket file that nobody listens at is left over from a process that died.
void remove_if_deserted(const std::string& path) noexcept {
  const int probe = ::socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (probe < 0) return;
  const auto address = unix_address(path);
  const int failed = ::connect(probe, address.data(), static_cast<socklen_t>(address.size()));
  if (failed != 0 && errno == ECONNREFUSED) ::unlink(path.c_str());
  ::close(probe);
}

} // namespace

/// The context of whoever arrives next.
class tls_choice {
public:
  explicit tls_choice(std::shared_ptr<const tls_context> first) : present_{std::move(first)} {}
  std::shared_ptr<const tls_context> get() const {
    const std::lock_guard lock{mutex_};
    return present_;
  }
  void set(std::shared_ptr<const tls_context> next) {
    const std::lock_guard lock{mutex_};
    present_ = std::move(next);
  }

private:
  mutable std::mutex mutex_;
  std::shared_ptr<const tls_context> present_; // under mutex_
};

acceptor::acceptor(home& where, accept_options options, chooser choose)
    : home_{where},
      options_{std::move(options)},
      choose_{std::move(choose)},
      tls_{std::make_shared<tls_choice>(options_.tls)} {
  if (!options_.turned_away) options_.turned_away = std::make_shared<tally>();
  if (!choose_) choose_ = [&where]() -> home& { return where; };
}

acceptor::~acceptor() { close(); }

result<endpoint> acceptor::listen(const endpoint& where, arrival handler) {
  gate_ = std::make_shared<arrival_gate>(std::move(handler));
  switch (where.kind) {
  case endpoint_kind::unix_socket: return listen_unix(where);
  case endpoint_kind::loopback: return listen_loopback(where);
  default: return listen_tcp(where);
  }
}

result<endpoint> acceptor::listen_tcp(const endpoint& where) {
  const auto address = address_to_bind(where);
  if (!address) return address.error();
  if (where.is_secure() && !options_.tls) return tls_errc::missing_certificate_file;
  if (where.kind != endpoint_kind::tcp)
    lobby_ = std::make_shared<lobby>(
        options_.most_greetings, options_.greeting_limit, options_.turned_away,
        [gate = gate_, pipe = options_.pipe](home& to, std::unique_ptr<octet_stream> greeted) {
          gate->let_in(to, make_stream_transport(to, std::move(greeted), pipe));
        });
  const auto listener = std::make_shared<socket_listener<tcp>>(
      home_, choose_,
      [gate = gate_, guests = lobby_, options = options_, tls = tls_, where](home& to, tcp::socket came) {
        if (!guests) return gate->let_in(to, make_tcp_transport(to, std::move(came), options.pipe));
        accept_options options_now = options;
        options_now.tls = tls->get();
        auto stream = server_layers(to, make_tcp_stream(std::move(came), options.pipe), where, options_now);
        if (stream) guests->enter(to, std::move(stream));
      });
  if (const auto error = listener->begin(*address, options_.queue)) return error;
  listening_ = listener;
  endpoint bound = where;
  bound.port = listener->bound().port();
  return bound;
}

result<endpoint> acceptor::listen_unix(const endpoint& where) {
  const bool is_file = !where.path.starts_with('@');
  if (is_file) remove_if_deserted(where.path);
  const auto listener = std::make_shared<socket_listener<local>>(
      home_, choose_, [gate = gate_, pipe = options_.pipe, path = where.path](home& to, local::socket came) {
        gate->let_in(to, make_unix_transport(to, std::move(came), path, pipe));
      });
  if (const auto error = listener->begin(unix_address(where.path), options_.queue)) return error;
  if (is_file) listener->unlink_when_closed(where.path);
  listening_ = listener;
  return where;
}

result<endpoint> acceptor::listen_loopback(const endpoint& where) {
  const auto listener = std::make_shared<loopback_listening>(home_, where.host, options_, choose_, gate_);
  if (const auto error = listener->begin()) return error;
  listening_ = listener;
  return where;
}

std::uint64_t acceptor::turned_away() const noexcept { return options_.turned_away->value(); }

void acceptor::renew(std::shared_ptr<const tls_context> tls) { tls_->set(std::move(tls)); }

void acceptor::close(std::function<void()> done) {
  if (lobby_) lobby_->close();
  if (!gate_ && !done) return;
  home_.post([open = std::exchange(listening_, nullptr), gate = std::exchange(gate_, nullptr),
              done = std::move(done)]() mutable {
    if (gate) gate->close();
    if (open) open->close();
    if (done) done();
  });
}

} // namespace troupe::runtime
