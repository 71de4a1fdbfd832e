// peer: one connection as the broker sees it.
//
//   CONNECT awaited --on_connect--> judged (by the shard) --admit--> serving --on_close--> leaving --> gone
//
// Lives here: peer: transport, framer and server_machine of one client; a plain object of its shard.
// Holds:   everything in it dies with the connection; what outlives it is in its peer_session. Each peer
//          leaves exactly once (shard::on_leaving), and is gone when its transport is (shard::on_gone).
// Threads: belongs to its shard; the transport's calls come on the shard's worker.
// Errors:  the client's faults are answered by the machine and end the connection.
// Costs:   reading: framer, decoder, machine, router; no allocation per packet.
#pragma once

#include "held_output.hpp"
#include "peer_session.hpp"
#include "routing_messages.hpp"
#include "subscriptions.hpp"

#include "../protocol/burst_reader.hpp"
#include "../protocol/framer.hpp"
#include "../protocol/server_machine.hpp"
#include "../runtime/transport.hpp"

#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace troupe::brokerage {

class shard;

class peer final : public runtime::transport_sink, public protocol::server_host {
public:
  peer(shard& home, peer_number number, runtime::transport_ptr pipe);
  peer(const peer&) = delete;
  peer& operator=(const peer&) = delete;

  peer_number number() const noexcept { return number_; }
  protocol::server_machine& machine() noexcept { return machine_; }
  const protocol::server_machine& machine() const noexcept { return machine_; }
  protocol::version version() const noexcept { return version_; }
  /// Whether packets of that version may go out as they are: nobody looks at each.
  bool passes(protocol::version form) const noexcept { return form == passes_; }
  /// Null until the client was admitted, and after it left.
  peer_session* session() const noexcept { return session_; }

  // -- life, as the shard decides it ------------------------------------------
  void start();
  /// The session is there: CONNACK goes out, then what is in flight.
  void admit(peer_session& session, const protocol::acceptance& how);
  /// CONNACK with a refusal before, DISCONNECT after the client was admitted.
  void disconnect(protocol::reason_code reason);
  /// Closes at once, whatever has not been written.
  void abort();
  void release_session() noexcept { session_ = nullptr; }
  /// The machine forgets the session, which may end now. Not from inside the machine.
  void let_session_go();
  bool is_leaving() const noexcept { return is_leaving_; }
  void on_deadline();
  protocol::time_point watched = protocol::never; // when the shard looks at it again

  bool is_surplus = false; // came when the shard was full

  // -- towards the client -----------------------------------------------------
  /// Whether more may be produced for it.
  bool has_room() const noexcept {
    return !is_leaving_ && !transport_->is_congested() && (held_ == nullptr || held_->size() < most_held);
  }
  protocol::server_machine::sent deliver(protocol::request_token token, const protocol::kept_publish& what);
  /// Appends whole packets as they are.
  void write(protocol::octets frames, protocol::keeper* owner);
  /// Says that something is being appended: flush() follows at the end of the event.
  void touch();
  /// Makes sure that what was appended leaves: at once, or when the pledge of this event is redeemed.
  void flush(pledge_number pledge);
  /// Some pledge that it waited for is redeemed.
  void on_redeemed();
  /// Stops and resumes reading, for reasons of the shard. False: it has stopped before, or is leaving.
  bool hold_back();
  void let_go();
  /// The full queue of session `by` wants it to stop publishing (counted when it did not stand already), or
  /// has room again. Reading stops with it.
  void stop_publishing(session_number by);
  void let_publish(session_number by);
  /// Whoever stopped it.
  void let_publish() {
    if (!stopped_by_.empty()) resume_publishing();
  }
  /// The shard's turn, after that: what was not looked at yet goes first.
  void go_on();

  // -- publishing -------------------------------------------------------------
  /// What access says of a topic; asked again only when the topic changes.
  protocol::reason_code judge_topic(std::string_view topic);
  /// Who judges has changed.
  void forget_judgement() noexcept { is_topic_judged_ = false; }
  const route* last_way = nullptr; // of the last publish; looked at by the router only

  // -- what CONNECT said, kept until the session is there -----------------------
  struct introduction {
    std::string client_id{};
    std::optional<std::string> user_name{};
    std::string peer_name{};
    bool is_certified = false; // the name is that of a certificate
    bool is_clean = true;
    bool has_assigned_id = false;
    bool is_bridge = false; // and wants to know whose door this is
    std::chrono::seconds expiry{0};
    std::optional<std::uint32_t> told_expiry{}; // when another than asked
    std::optional<std::string> auth_method{};   // of enhanced authentication
    std::string auth_data{};                    // its last word, for CONNACK
    message_ref will{};
    std::chrono::seconds will_delay{0};
  };
  introduction said{};
  /// Enhanced authentication that is going on, before or after CONNACK; null: none.
  std::unique_ptr<auth_dialogue> dialogue{};
  void say_auth(const auth_answer& what);
  /// Nothing more is taken until it is admitted.
  void close_input() noexcept { is_judged_ = false; }
  identity who() const;

  /// Answers to SUBSCRIBE and UNSUBSCRIBE, in the order of the requests.
  struct pending_answer {
    bool is_subscribe = true;
    bool is_ready = false;
    protocol::packet_id id = 0;
    std::uint64_t serial = 0;
    std::vector<protocol::reason_code> codes{};
    std::vector<std::pair<std::string, grant>> retained{}; // whose retained messages are to follow
  };
  std::deque<pending_answer> answers{};

private:
  static constexpr std::size_t most_held = std::size_t{1} << 20U;
  bool is_stopped() const noexcept { return !stopped_by_.empty(); }
  bool may_read() const noexcept {
    return is_judged_ && !is_held_ && !is_sated_ && !is_leaving_ && !is_stopped();
  }
  void resume_publishing();

  // transport_sink
  std::span<protocol::octet> wanted() noexcept override;
  void on_filled(std::size_t count) override;
  void on_read(protocol::slice bytes) override;
  void on_writable() override;
  void on_closed(std::error_code why) override;

  // server_host
  protocol::outbox& out() override;
  void on_connect(const protocol::connect& packet) override;
  protocol::publish_verdict on_publish(const protocol::publish& packet, protocol::octets whole,
                                       bool same_bytes) override;
  void on_subscribe(const protocol::subscribe& packet) override;
  void on_unsubscribe(const protocol::unsubscribe& packet) override;
  void on_delivered(protocol::request_token token) override;
  void on_released(protocol::request_token token) override;
  void on_receipt_over(protocol::packet_id id) override;
  protocol::kept_publish recall(protocol::request_token token) override;
  void on_auth(const protocol::auth& packet) override;
  void on_disconnect(const protocol::disconnect& packet) override;
  void on_close(const protocol::closing& why) override;

  void introduce(const protocol::connect& packet);
  void release_held();
  void keep_receipt(protocol::packet_id id);
  /// Whether there is a session of which everything is written down.
  bool is_written() const noexcept { return session_ != nullptr && session_->is_durable(); }
  void take_frames();
  void stand_still();
  void take_known(const protocol::burst_reader& burst, protocol::inbound_packet& packet);
  void take_burst(const protocol::burst_reader& burst);
  void take_frame(const protocol::frame& frame, const protocol::keeper_ref& own);
  void watch_backlog();

  shard& shard_;
  peer_number number_;
  runtime::transport_ptr transport_;
  protocol::framer framer_;
  protocol::server_machine machine_;
  std::unique_ptr<held_output> held_{}; // null: nothing is written down, and nothing waits for it
  protocol::version version_ = protocol::version::v5_0;
  protocol::version passes_{}; // none before CONNECT, nor where hooks look
  peer_session* session_ = nullptr;
  protocol::slice input_{};             // what the framer is being fed with
  protocol::keeper* reading_ = nullptr; // keeps the packet that is being handled
  std::string judged_topic_{};          // holds while is_topic_judged_
  bool is_topic_judged_ = false;
  bool is_judged_ = true;  // false from CONNECT until the shard has answered it
  bool is_taking_ = false; // inside take_frames()
  bool is_leaving_ = false;
  bool is_gone_ = false;                     // the transport is
  bool is_dirty_ = false;                    // flush() will be called at the end of this event
  bool is_held_ = false;                     // by the shard
  bool is_closing_ = false;                  // the transport is to be closed when nothing is held any more
  bool is_sated_ = false;                    // holds itself back: it does not read our answers
  bool is_going_on_ = false;                 // go_on() will be called
  std::vector<session_number> stopped_by_{}; // whose queues it must not fill further
};

} // namespace troupe::brokerage
