// session: the actor between users and connections; owns the client machine and outlives connections.
//
// Lives here: the actor session: hears requests in ticket order and packets in batches, feeds the machine,
//          carries out what it says.
// Holds:   packets leave in the order in which the machine wrote them, one batch per run. Deliveries go to
//          the dispatcher in the order of arrival. While the connection is congested, or an orderly end
//          is under way, no request is taken: their bound is felt at the doors. Packets are always taken.
// Threads: lives on its home (on CAF's own schedulers: wherever it is run, one run at a time).
// Errors:  the machine's verdicts end in the outcomes; the reason why a connection ended goes to the
//          supervisor.
// Costs:   a publish is encoded once, straight into the batch that the transport writes. Per run one look
//          at the clock, one push down, one push up.
#pragma once

#include "client_front.hpp"
#include "messages.hpp"
#include "session_store.hpp"
#include "settler.hpp"
#include "subscription_desk.hpp"

#include "../protocol/client_machine.hpp"
#include "../runtime/outlet.hpp"
#include "../runtime/resident.hpp"
#include "../runtime/slab_rack.hpp"

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace troupe::actors {

class session final : public runtime::resident, private protocol::client_host {
public:
  session(caf::actor_config& config, runtime::place where, std::shared_ptr<client_front> front,
          protocol::client_machine_options options, std::chrono::milliseconds disconnect_timeout,
          runtime::inlet<supervisor_mail> supervisor, runtime::inlet<dispatch_mail> dispatcher,
          std::unique_ptr<session_store> store);
  ~session() override;

  runtime::mailbox<session_mail>& mails() noexcept { return mail_box_; }
  request_box& requests() noexcept { return request_box_; }

private:
  bool on_bell() override;
  void on_stop() override;

  // -- requests
  bool take_requests();
  bool may_produce() noexcept;
  void on_request(user_request& what);
  void on_publish(publish_record& record);
  void on_run(door_run& run);
  void append(protocol::octet* frames, std::size_t size, runtime::slab* memory);
  void take_time(const publish_record& record) noexcept {
    if (timed_ != 0) return;
    timed_ = record.token();
    timed_since_ = now_;
  }
  void flush_frames();
  std::size_t octets_written() const noexcept {
    return outbox_.size() + static_cast<std::size_t>(frames_end_ - frames_);
  }
  void on_control(std::unique_ptr<control_request> what);
  /// To the supervisor, who answers.
  template <class Wish>
  void pass_on(Wish&& what);
  void begin_end(const disconnect_options& how);
  void break_off();
  void go_on_ending();
  void on_end_deadline();

  // -- mails
  void on_mail(session_mail&& mail);
  void on_mail_of(batch_ref&& batch);
  void on_mail_of(link_up&& up);
  void on_mail_of(link_writable&&) {}
  void on_mail_of(link_down&& down);
  void on_mail_of(refuse_all&& why);
  void on_mail_of(accept_again&&);
  void dispatch(batch_ref&& batch);

  // -- the end of a run
  void finish_run();
  void hand_over();
  void write_on();
  bool is_farewell_unwritten() const noexcept {
    return !unwritten_.empty() && unwritten_.back().batch->then == after_batch::close;
  }
  void arm_deadline();
  void on_machine_deadline();
  void report_up_when_renewed();
  void answer();
  void count();
  void introduce();
  void replay_held();
  void end_ending();
  void end_publish(publish_record& record, const outcome& how);

  // -- hooks, and what waits for a connection
  template <class Call>
  void ask_hooks(Call call) noexcept;
  void present_anew();
  void ask_down_hook();
  void tell_farewell(const protocol::closing& why);
  void say_birth(const protocol::connack& greeting);
  bool answer_auth(const auth_step& said);
  std::string auth_method();
  void reauthenticate(const asker& who);
  void end_reauthentications(std::error_code why);
  void cancel(cancellable& what);
  void withdraw();
  bool may_wait(publish_record& record);
  void note_age(const publish_record& record, protocol::time_point since);
  bool has_expired(const publish_record& record);
  void make_room(std::size_t octets);

  // -- what is written down
  void go_on_from(const past_session& past);
  publish_record* revive(const past_publish& what, protocol::version spoken);
  void go_on_with(publish_record& record, const past_publish& what);
  void settle(const settled_delivery& which);

  // -- client_host
  protocol::outbox& out() override {
    flush_frames(); // what the machine writes goes behind them
    return outbox_;
  }
  void on_connected(const protocol::connack& packet) override;
  bool on_deliver(const protocol::publish& packet, protocol::delivery_tag tag) override;
  void on_complete(protocol::request_token token, const protocol::verdict& how) override;
  void on_sent(protocol::request_token token, protocol::packet_id id, protocol::qos quality) override;
  void on_released(protocol::request_token token) override;
  void on_receipt_over(protocol::packet_id id) override;
  protocol::kept_publish recall(protocol::request_token token) override;
  void on_auth(const protocol::auth& packet) override;
  void on_close(const protocol::closing& why) override;

  std::shared_ptr<client_front> front_;
  runtime::mailbox<session_mail> mail_box_;
  request_box request_box_;
  runtime::outlet<session_mail> mails_;
  runtime::front_outlet<request_item> requests_;

  runtime::leased_pool slabs_;
  runtime::slab_outbox outbox_;
  // Packets that doors have encoded, side by side in one slab, not in the outbox yet.
  protocol::octet* frames_ = nullptr;
  protocol::octet* frames_end_ = nullptr;
  runtime::slab* frames_slab_ = nullptr;
  outbound_pool outbound_;
  settler ends_;
  std::unique_ptr<session_store> store_; // null: nothing is written down
  protocol::client_machine machine_;
  const protocol::client_machine_options first_words_; // of the options, before hooks
  runtime::inlet<supervisor_mail> supervisor_;
  runtime::inlet<dispatch_mail> dispatcher_;
  subscription_desk desk_;
  runtime::deadline machine_deadline_{runtime::calls<&session::on_machine_deadline>, *this};
  runtime::deadline end_deadline_{runtime::calls<&session::on_end_deadline>, *this};
  const std::chrono::milliseconds disconnect_timeout_;

  protocol::time_point now_{};
  std::optional<link_up> link_; // the present connection
  // For it, in a session that is written down: each waits until what it follows from is kept.
  struct unwritten {
    std::uint64_t ticket;
    outbound_ref batch;
  };
  std::deque<unwritten> unwritten_;
  after_batch then_ = after_batch::go_on;    // what the connection does after the next batch
  session_down why_down_{};                  // of the present connection, once known
  std::error_code refusing_{};               // what later requests are answered
  std::optional<disconnect_options> ending_; // the user wants an orderly end, and it is under way
  bool is_broken_off_ = false;               // that end is one without a word
  bool is_renewing_ = false;                 // connected, but session_up not reported yet
  bool is_resumed_ = false;
  bool is_introduced_ = false;      // supervisor and dispatcher know of us
  bool is_auth_refused_ = false;    // AUTH came and nobody here can answer it
  std::error_code birth_refusal_{}; // the birth message could not be said and was needed
  std::vector<asker> reauthentications_;
  // Since when publishes that expire wait here; those that could leave at once are not in it.
  std::unordered_map<protocol::request_token, protocol::time_point> ages_;
  std::vector<cell> withdrawn_;     // whose askers stop waiting, before anything else is asked for
  std::vector<user_request*> held_; // taken out of the mailbox behind the request for an end
  // The publish whose time is being taken; 0: none.
  protocol::request_token timed_ = 0;
  protocol::time_point timed_since_{};
  std::size_t shed_octets_ = 0; // weight of every publish that ended
  std::uint64_t published_ = 0; // in this run
  std::uint64_t failed_ = 0;    // in this run
  std::uint64_t received_ = 0;  // in this run

  // While a batch is fed to the machine.
  inbound_batch* batch_ = nullptr;
  std::uint32_t packet_ = 0;
};

} // namespace troupe::actors
