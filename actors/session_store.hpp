// session_store: what a client writes down of its session, so that the session outlives its process.
//
//   "i"              -> client id, version, whether there is a session, the id that the broker assigned
//   "f" filter       -> what was granted
//   "p" sequence     -> a publish, and when it was asked for
//   "q" sequence     -> how far it is on its way; nothing: it was not sent
//   "r" packet id    -> (QoS 2 publish received, its PUBREL not)
//
// Lives here: past_session (what an earlier process left), session_store.
// Holds:   a change is kept before the first octet that follows from it leaves: the session asks
//          is_kept(). Each step writes what it changes and nothing else.
// Threads: open() anywhere; then the session's. The disk is somebody else's: see record_store.
// Units:   moments are wall-clock time in milliseconds.
// Errors:  open() answers record_errc: other_owner for a file of another client id.
// Costs:   a few copies per step; a commit for all that happened during the commit before.
#pragma once

#include "client_options.hpp"

#include "../protocol/inflight.hpp"
#include "../protocol/result.hpp"
#include "../protocol/subscribe.hpp"
#include "../runtime/record_store.hpp"
#include "../runtime/record_text.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace troupe::actors {

struct past_publish {
  std::uint64_t sequence = 0;
  std::uint64_t rank = 0; // of a released one among its like
  protocol::packet_id id = 0;
  protocol::rung where = protocol::rung::free; // free: it was not sent
  std::int64_t asked = 0;
  std::string packet{}; // PUBLISH in the version of the session
};

struct past_filter {
  std::string filter{};
  protocol::subscription line{}; // but for its filter
};

/// What an earlier process left.
struct past_session {
  bool has_session = false;
  protocol::version version = protocol::version::v5_0;
  std::string assigned_id{};
  std::vector<past_publish> publishes{}; // in the order of their sending; released ones in that of PUBREC
  std::vector<protocol::packet_id> receipts{};
  std::vector<past_filter> filters{};
};

class session_store {
public:
  /// Null when the options name no store.
  static protocol::result<std::unique_ptr<session_store>> open(const client_options& options);

  past_session take_past() { return std::move(past_); }
  /// `told` is rung when something has been kept; the session's.
  void attach(runtime::bell& told) noexcept { told_ = &told; }

  // -- the session -------------------------------------------------------------
  /// CONNACK came with success.
  void keep_session(bool is_resumed, std::string_view assigned_id);
  void keep_filter(const protocol::subscription& line);
  void drop_filter(std::string_view filter);

  // -- publishes at QoS 1 and 2 ------------------------------------------------
  /// Asked for. `packet` as it was encoded.
  void keep_publish(protocol::request_token token, protocol::octets packet);
  /// One of an earlier process is the request `token` of this one.
  void adopt(protocol::request_token token, const past_publish& what) {
    publishes_[token] = {what.sequence, what.id, what.where};
  }
  /// The same in the words of another version; speak() when all have been said.
  void restate(const past_publish& what, protocol::octets packet);
  void speak(protocol::version v);
  /// One of an earlier process that cannot be sent.
  void drop_past(const past_publish& what) { erase_publish(what.sequence); }
  void keep_sent(protocol::request_token token, protocol::packet_id id, qos quality);
  void keep_released(protocol::request_token token);
  /// It ended. When the broker did not end it, its packet id at QoS 2 is kept until that is free again.
  void drop_publish(protocol::request_token token, bool is_ended_by_broker);
  /// Nobody knows this publish any more, but it is to be sent by a later process.
  void leave_publish(protocol::request_token token);
  /// There will be no later process: the session goes on in this one without them.
  void drop_left();

  // -- received at QoS 2 ---------------------------------------------------------
  void keep_receipt(protocol::packet_id id);
  void drop_receipt(protocol::packet_id id);

  // -- commits -----------------------------------------------------------------
  /// Hands over what was written; the ticket that whatever is said now has to wait for; 0: none. What is
  /// granted and what has ended is written as well, but nothing that is said depends on it.
  std::uint64_t hand_over();
  bool is_kept(std::uint64_t ticket) const noexcept { return ticket <= records_->committed(); }

  std::chrono::milliseconds wall_now() const {
    return std::chrono::duration_cast<std::chrono::milliseconds>(records_->wall_now().time_since_epoch());
  }

private:
  struct entry {
    std::uint64_t sequence = 0;
    protocol::packet_id id = 0; // once it was sent
    protocol::rung where = protocol::rung::free;
  };

  session_store(std::shared_ptr<runtime::record_store> records, const client_options& options);
  std::error_code read(const client_options& options);
  bool take(std::string_view key, std::string_view value);
  bool take_publish(runtime::record_reader& key, runtime::record_reader& value);
  bool take_identity(runtime::record_reader& value);
  bool take_progress(runtime::record_reader& key, runtime::record_reader& value);
  std::string_view key_of(char kind, std::uint64_t number, unsigned octets) {
    return key_.anew().letter(kind).number(number, octets).written();
  }
  void write_progress(entry& which, protocol::rung where, std::uint64_t rank);
  void erase_publish(std::uint64_t sequence);
  void give_up(entry& which);
  void end_ghost(protocol::packet_id id);
  void write_identity();

  std::shared_ptr<runtime::record_store> records_;
  runtime::bell* told_ = nullptr;
  runtime::change_set changes_;
  runtime::record_writer key_;
  runtime::record_writer value_;
  past_session past_;
  std::string owner_; // the client id that stands in the store
  bool has_owner_ = false;
  std::string client_id_;
  protocol::version version_; // of the packets that stand in the store
  std::string assigned_id_;
  bool has_session_ = false;
  std::unordered_map<protocol::request_token, entry> publishes_;
  std::vector<entry> left_;
  // Given up at QoS 2 while the broker knew the id: sequences, until the id stands for something else. A later
  // process releases such an id before it is used again; one that is free already costs a PUBREL.
  std::unordered_map<protocol::packet_id, std::uint64_t> ghosts_;
  std::unordered_set<protocol::packet_id> receipts_;
  std::uint64_t last_sequence_ = 0;
  std::uint64_t binding_ticket_ = 0;
  bool is_binding_ = false; // something is said that depends on what is being written
};

} // namespace troupe::actors
