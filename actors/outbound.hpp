// outbound: encoded packets on their way from the session to the connection.
//
// Lives here: outbound_batch, outbound_pool, outbound_ref (owns one batch).
// Holds:   segments are handed over, not copied; they leave in the order of the batches.
// Threads: a batch has one owner at a time; it comes home from any thread. The pool is the session's and
//          outlives everybody who has an inlet to the session.
// Units:   octets.
// Costs:   one atomic step per batch on its way home; no allocation in the steady state.
#pragma once

#include "return_stack.hpp"

#include "../runtime/slab_outbox.hpp"

#include <atomic>
#include <cstddef>
#include <memory>
#include <vector>

namespace troupe::actors {

class outbound_pool;

/// What the connection does once the octets are on their way.
enum class after_batch : std::uint8_t {
  go_on,
  close, // in order: what is written goes out first
  abort,
};

struct outbound_batch {
  explicit outbound_batch(outbound_pool& home) noexcept : pool{home} {}

  std::vector<runtime::outbox_segment> segments;
  std::size_t octets = 0;
  after_batch then = after_batch::go_on;
  outbound_batch* next = nullptr; // whoever holds it alone
  outbound_pool& pool;
};

struct outbound_home {
  void operator()(outbound_batch* batch) const noexcept;
};
using outbound_ref = std::unique_ptr<outbound_batch, outbound_home>;

class outbound_pool {
public:
  outbound_pool() = default;
  outbound_pool(const outbound_pool&) = delete;
  outbound_pool& operator=(const outbound_pool&) = delete;
  ~outbound_pool();

  /// Takes everything out of `from`.
  outbound_ref take(runtime::slab_outbox& from);
  /// Octets handed over and not yet taken by a transport.
  std::size_t octets_out() const noexcept { return octets_out_.load(std::memory_order_seq_cst); }

private:
  friend struct outbound_home;
  void take_home(outbound_batch& batch) noexcept;

  return_stack<outbound_batch> returned_;
  // Added by the session, subtracted by whoever returns. The session says that it waits, then looks;
  // the connection subtracts, then looks whether somebody waits (link_gauge): one order for all.
  std::atomic<std::size_t> octets_out_{0};
  outbound_batch* idle_ = nullptr; // the session's
};

} // namespace troupe::actors
