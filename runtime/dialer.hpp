// dialer: endpoint -> transport.
//
// Lives here: dial_options, dialer.
// Holds:   one attempt at a time. All addresses of a host are tried: the next one begins when its
//          predecessor failed or has been silent for `stagger`; families alternate; the first that
//          answers wins, the others are closed (RFC 8305). The host is resolved again by each dial().
// Threads: all members and the answer on the home's thread; the answer never from inside dial().
// Units:   durations of the home's clock.
// Errors:  the parser's, the resolver's, the system's for the last address that failed,
//          std::errc::timed_out, what a layer says (tls_errc, ...), std::errc::connection_refused when
//          nobody listens on a loopback name, std::errc::address_family_not_supported when a host has no
//          address of the wanted family.
#pragma once

#include "connector.hpp"
#include "endpoint.hpp"
#include "resolver.hpp"
#include "socket_options.hpp"
#include "transport.hpp"
#include "transport_options.hpp"
#include "web_options.hpp"

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

namespace troupe::runtime {

class home;
class tls_context;

struct dial_options {
  transport_options pipe{};
  /// From dial() to the answer: name resolution, proxy, TLS and WebSocket included.
  std::chrono::milliseconds timeout{10'000};
  /// Head start of an address before the next one is tried as well.
  std::chrono::milliseconds stagger{250};
  /// Null: the system's.
  std::shared_ptr<resolver> names{};
  /// For mqtts:// and wss://. Null: what tls_options say without being told anything.
  std::shared_ptr<const tls_context> tls{};
  /// For ws:// and wss://: further headers of the request.
  std::vector<web_header> headers{};
  /// Whom to ask for connections to others; not for local sockets.
  std::optional<proxy_endpoint> proxy{};
  /// Of TCP sockets; where it speaks of the same as `pipe`, `pipe` holds.
  socket_options socket{};
  /// Dials in our place, whatever the endpoint's kind; null: nobody.
  std::shared_ptr<runtime::connector> connector{};
};

class dialer {
public:
  using answer = std::function<void(protocol::result<transport_ptr>)>;

  explicit dialer(home& where, dial_options options = {});
  /// Gives up without an answer.
  ~dialer();
  dialer(const dialer&) = delete;
  dialer& operator=(const dialer&) = delete;

  /// Gives up what was being dialled before, without an answer.
  void dial(const endpoint& to, answer done);
  /// Gives up without an answer.
  void cancel() noexcept;
  bool is_dialling() const noexcept;

private:
  class attempt;

  home& home_;
  dial_options options_;
  std::shared_ptr<attempt> attempt_;
};

} // namespace troupe::runtime
