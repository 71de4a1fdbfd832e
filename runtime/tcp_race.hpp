// tcp_race: several addresses of one host -> the first connection that stands.
//
// Lives here: tcp_race.
// Holds:   families alternate, the resolver's first choice first. An address gets a head start of
//          `stagger` before the next one is tried as well; when it fails, the next one begins at once.
//          The winner is told once; whoever still runs then is closed. A socket that found itself
//          (possible when a port of the dynamic range is dialled on the own machine) has lost.
// Threads: the home's. Nothing is told after the race has been destroyed, nor from inside begin().
// Errors:  what the last address to fail said.
#pragma once

#include "clock.hpp"
#include "resolver.hpp"

#include "../protocol/result.hpp"

#include <boost/asio/ip/tcp.hpp>

#include <functional>
#include <memory>
#include <vector>

namespace troupe::runtime {

class tcp_race {
public:
  using socket = boost::asio::ip::tcp::socket;
  using answer = std::function<void(protocol::result<socket>)>;
  /// Makes a socket that was opened for an address ready to dial; an error: this address has lost.
  using preparation = std::function<std::error_code(socket&)>;

  [[nodiscard]] static std::shared_ptr<tcp_race> begin(home& where, std::vector<address> addresses,
                                                       duration stagger, answer done,
                                                       preparation prepare = {});
  tcp_race(home& where, std::vector<address> addresses, duration stagger, answer done, preparation prepare);
  tcp_race(const tcp_race&) = delete;
  tcp_race& operator=(const tcp_race&) = delete;

private:
  static void begin_next(const std::shared_ptr<tcp_race>& self);
  static void on_connected(const std::shared_ptr<tcp_race>& self, std::size_t runner,
                           const boost::system::error_code& error);
  void on_stagger();
  void on_failed(std::error_code why);
  void finish(protocol::result<socket> with);
  std::error_code open(socket& runner, const address& to);

  home& home_;
  std::weak_ptr<tcp_race> self_;
  std::vector<address> addresses_;
  std::vector<socket> runners_; // runners_[i] dials addresses_[i]; closed once it has failed
  std::size_t running_ = 0;
  duration stagger_;
  answer done_; // empty: it is over
  const preparation prepare_;
  std::error_code last_failure_;
  deadline next_{calls<&tcp_race::on_stagger>, *this};
};

/// The same addresses, families in turn, each in its own order.
std::vector<address> alternate_families(std::vector<address> addresses);

} // namespace troupe::runtime
