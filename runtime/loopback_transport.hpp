// loopback_transport: two ends in memory, with the contract of a socket.
//
// Lives here: loopback_faults, loopback_ends, make_loopback(), loopback_listener, dial_loopback().
// Holds:   slabs of encoded octets pass to the other end by reference, in order, and are delivered at its
//          home's idle point; payloads that were borrowed and did not fit behind their header are copied
//          once: together with the header, so that the two arrive as one, or straight to where the
//          receiver wants them. At most `loopback_window` octets lie between the ends; the rest stays
//          with the sender and counts as its backlog.
// Threads: each end belongs to its home. Between two homes octets pass without a lock.
// Errors:  an end that was aborted or dropped shows itself to the other one as
//          std::errc::connection_reset, after everything handed over before.
// Costs:   per slab, not per message: a few atomic steps; when the homes differ, also one wake-up each
//          time the receiver had taken everything. No allocation in the steady state.
#pragma once

#include "transport.hpp"
#include "transport_options.hpp"

#include "../protocol/result.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

namespace troupe::runtime {

class home;

/// Octets between two ends: what a socket's buffer would be. Small enough to stay in the cache.
inline constexpr std::size_t loopback_window = std::size_t{256} << 10U;

/// What a test may order. The same seed gives the same cuts.
struct loopback_faults {
  std::uint64_t seed = 0;
  /// Every hand-over is cut into pieces of 1 to this many octets; 0: not cut.
  std::size_t largest_piece = 0;
};

struct loopback_ends {
  transport_ptr first;
  transport_ptr second;
};

/// What an end needs to know.
struct loopback_seat {
  home& where;
  transport_options options{};
  loopback_faults faults{}; // of what this end sends
};

/// Two connected ends; `name` is what both call their peer.
loopback_ends make_loopback(const loopback_seat& first, const loopback_seat& second, const std::string& name);

/// Somebody who waits under a name. Entered on the name board by whoever made it.
class loopback_listener {
public:
  using chooser = std::function<home&()>;
  using arrival = std::function<void(home&, transport_ptr)>;

  loopback_listener(home& where, transport_options options, chooser choose, arrival arrive);

  /// From any thread: nothing arrives any more, once the calls that were under way have ended.
  void close() noexcept;

private:
  friend std::shared_ptr<void> dial_loopback(home&, const std::string&, const transport_options&,
                                             std::function<void(protocol::result<transport_ptr>)>);
  struct state;
  std::shared_ptr<state> state_;
};

/// Dials `name` in the stage of `from`; answers std::errc::connection_refused when nobody listens. The
/// answer is given on `from`, never from inside this call, and not at all once the returned object is gone.
[[nodiscard]] std::shared_ptr<void> dial_loopback(home& from, const std::string& name,
                                                  const transport_options& options,
                                                  std::function<void(protocol::result<transport_ptr>)> done);

} // namespace troupe::runtime
