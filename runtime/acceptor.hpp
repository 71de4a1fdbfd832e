// acceptor: listening -> transports.
//
// Lives here: accept_options, acceptor.
// Holds:   each arrival is handed to a home chosen for it, and called on that home's thread. After
//          close() has answered, nothing arrives and the address is free. A socket file that nobody
//          listens at any more is replaced; ours is removed. A shortage of descriptors
//          pauses accepting for a moment; it ends nothing.
// Threads: construct, listen, close and destroy on any one thread.
// Errors:  listen() answers the system's error; std::errc::address_in_use for a loopback name;
//          tls_errc::missing_certificate_file for TLS without a context.
#pragma once

#include "endpoint.hpp"
#include "transport.hpp"
#include "transport_options.hpp"

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>

namespace troupe::runtime {

class arrival_gate;
class home;
class listening;
class lobby;
class tally;
class tls_choice;
class tls_context;

struct accept_options {
  transport_options pipe{};
  int queue = 1024; // connections that the system completes before we take them
  /// For mqtts:// and wss://, which can not do without.
  std::shared_ptr<const tls_context> tls{};
  /// How long a peer may take for TLS and WebSocket before it arrives, and how many peers may be at it.
  std::chrono::milliseconds greeting_limit{10'000};
  std::size_t most_greetings = 4096;
  /// Counts peers that were turned away before they arrived: by their greeting, its limit, their number.
  /// Null: one of the acceptor's own.
  std::shared_ptr<tally> turned_away{};
};

class acceptor {
public:
  /// Which home the next arrival shall live on; called on the acceptor's own home.
  using chooser = std::function<home&()>;
  /// A transport that has not been started yet, on its home's thread.
  using arrival = std::function<void(home&, transport_ptr)>;

  /// `where` waits for connections; all arrivals live there unless `choose` says otherwise.
  explicit acceptor(home& where, accept_options options = {}, chooser choose = {});
  /// Closes, and does not wait.
  ~acceptor();
  acceptor(const acceptor&) = delete;
  acceptor& operator=(const acceptor&) = delete;

  /// Begins to listen; answers the endpoint really bound (a port of 0 replaced). Call once.
  protocol::result<endpoint> listen(const endpoint& where, arrival handler);
  /// Who arrives from now on is greeted with `tls`; any thread.
  void renew(std::shared_ptr<const tls_context> tls);
  /// Stops listening. `done` is called on the acceptor's home when the address is free.
  void close(std::function<void()> done = {});
  std::uint64_t turned_away() const noexcept;

private:
  protocol::result<endpoint> listen_tcp(const endpoint& where);
  protocol::result<endpoint> listen_unix(const endpoint& where);
  protocol::result<endpoint> listen_loopback(const endpoint& where);

  home& home_;
  accept_options options_;
  chooser choose_;
  std::shared_ptr<tls_choice> tls_; // what arrivals are greeted with
  std::shared_ptr<arrival_gate> gate_;
  std::shared_ptr<lobby> lobby_; // of peers that have to greet first
  std::shared_ptr<listening> listening_;
};

} // namespace troupe::runtime
