// store: what a shard writes down of its sessions and retained messages.
//
//   event writes --> batch --hand_over--> on its way --poll--> kept
//
// Lives here: store: one per shard of a broker with persistence; none without.
// Holds:   a batch goes to the record_store at the end of an event, when no earlier one is on its way, or
//          when it has grown large: so one commit serves all that happened during the commit before. A message
//          is written once per shard, however many sessions wait for it, and erased with the last of them.
// Threads: belongs to one shard. The disk is somebody else's: see record_store.
// Units:   batches are numbered from 1.
// Errors:  none here; as long as nothing can be kept, nothing is acknowledged.
// Costs:   a few copies of what is written; no allocation in the steady state, no system call.
#pragma once

#include "kept_message.hpp"
#include "octet_outbox.hpp"
#include "retained.hpp"
#include "store_format.hpp"

#include "../runtime/record_store.hpp"

#include <chrono>
#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <string_view>

namespace troupe::brokerage {

class store {
public:
  /// `told` is rung when poll() is wanted. `last_message`: the highest number in the records whose upper octet
  /// is this shard's; 0 = none.
  store(std::shared_ptr<runtime::record_store> records, std::uint32_t self, runtime::bell* told,
        protocol::time_point now, std::uint64_t last_message);

  // -- sessions ---------------------------------------------------------------
  void keep(const peer_session& who, bool is_connected);
  /// It has ended; what others are to have instead of it is not stored yet.
  void keep_ended(const peer_session& who);
  /// All but its will, which is dropped when it has been said.
  void forget(session_number who, std::span<const message_ref> messages);
  void keep_filter(session_number who, std::string_view filter, const grant& how);
  void drop_filter(session_number who, std::string_view filter);
  /// The will of a client that is connected, or `will_due` later.
  void keep_will(const peer_session& who, bool is_connected);
  void drop_will(session_number who);
  /// A QoS 2 publish was taken; its PUBREL has come.
  void keep_receipt(session_number who, protocol::packet_id id);
  void drop_receipt(session_number who, protocol::packet_id id);

  // -- messages ---------------------------------------------------------------
  /// A delivery that is new, or has come further. `what.message` is filled in here.
  void keep_delivery(session_number who, std::uint64_t sequence, bool is_new, const message_ref& message,
                     delivery_record what, std::span<const std::uint32_t> identifiers);
  void drop_delivery(session_number who, std::uint64_t sequence, const message_ref& message);
  /// The session moves to another shard: `copy` is to take the place of `original`. True: it is written anew,
  /// and the delivery must be, too.
  bool hand_on(const message_ref& original, const message_ref& copy);
  void keep_word(const message_ref& word, const stamp& when);
  void drop_word(std::string_view topic);

  // -- batches ----------------------------------------------------------------
  /// Raised by everything that is written.
  std::uint64_t written() const noexcept { return written_; }
  /// The last batch that is not kept yet, be it handed over or not; 0: everything is.
  std::uint64_t outstanding() const noexcept {
    return changes_.empty() ? (on_the_way_.empty() ? 0 : on_the_way_.back().batch) : batch_;
  }
  bool is_kept(std::uint64_t batch) const noexcept { return batch <= kept_; }
  /// The end of an event: hands the batch over when it is its turn.
  void hand_over_in_turn();
  /// Now: what others do after this call must not come to the records before it.
  void hand_over();
  /// Looks at what has been kept meanwhile. True: more than before.
  bool poll();
  /// Whether something has been kept that poll() has not seen.
  bool has_news() const noexcept {
    return !on_the_way_.empty() && on_the_way_.front().ticket <= records_->committed();
  }
  /// Sources should pause: the disk is far behind.
  bool is_crowded() const noexcept { return changes_.size() + octets_on_the_way_ > most_waiting; }

  wall_moment wall(protocol::time_point when) const noexcept;
  protocol::time_point steady(wall_moment when) const noexcept;

private:
  struct handed_over {
    std::uint64_t batch = 0;
    std::uint64_t ticket = 0;
    std::size_t octets = 0;
  };
  static constexpr std::size_t large_batch = std::size_t{4} << 20U;
  static constexpr std::size_t most_waiting = std::size_t{32} << 20U;
  static constexpr std::size_t most_on_the_way = 4;

  void keep(const peer_session& who, const session_record& what);
  void release(const message_ref& message);
  void number_message(const message_ref& message);
  void write_frame(const message_ref& message);
  std::string_view key_under(session_number who, char kind, std::uint64_t number, unsigned octets);

  std::shared_ptr<runtime::record_store> records_;
  runtime::bell* told_;
  runtime::change_set changes_{};
  std::deque<handed_over> on_the_way_{};
  std::size_t octets_on_the_way_ = 0;
  std::uint64_t batch_ = 1;
  std::uint64_t kept_ = 0;
  std::uint64_t written_ = 0;
  std::uint64_t last_message_;
  std::chrono::milliseconds wall_offset_; // wall-clock time less ours, at the start
  record_writer key_{};
  record_writer value_{};
  octet_outbox frame_{};
};

} // namespace troupe::brokerage
