// shard_actor: the actor that runs a shard.
//
// Lives here: door_mail (what the broker's front door says), visitor and parcel (what is said at the door
//          and between shards, weighed), stop_latch (who waits for the end), shard_actor.
// Holds:   what a shard posts to another leaves at the end of the event, by one push per destination.
//          What finds no room there stays in hand, in order, and sources pause until it has left.
// Threads: door() and mail() are for producers on any thread; all else belongs to the actor.
// Errors:  a neighbour that has ended takes nothing more: what is meant for it is dropped.
// Costs:   an event that posts nothing costs a look at one flag.
#pragma once

#include "bridge_desk.hpp"
#include "letter_box.hpp"
#include "routing_messages.hpp"
#include "shard.hpp"
#include "system_topics.hpp"
#include "workshop.hpp"

#include "../runtime/clock.hpp"
#include "../runtime/counters.hpp"
#include "../runtime/desk.hpp"
#include "../runtime/inlet.hpp"
#include "../runtime/outlet.hpp"
#include "../runtime/resident.hpp"
#include "../runtime/transport.hpp"

#include <condition_variable>
#include <future>
#include <memory>
#include <mutex>
#include <string>
#include <variant>
#include <vector>

namespace troupe::brokerage {

class shard_actor;
struct stored_state;

/// Counts down to the moment when all shards have ended.
class stop_latch {
public:
  explicit stop_latch(std::size_t count) : count_{count} {}
  void count_down();
  void wait();

private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::size_t count_; // under mutex_
};

struct newcomer {
  runtime::transport_ptr pipe{};
};
/// Comes first, to every shard.
struct neighbourhood {
  std::vector<runtime::resident_ref<shard_actor>> shards{};
};
struct stop_order {};
/// Who judges from now on.
struct access_change {
  std::shared_ptr<const access> may{};
};
/// Which sessions are there.
struct session_question {
  std::shared_ptr<std::promise<std::vector<session_info>>> answer{};
};
/// Whether a client was there to be sent away.
struct kick_order {
  std::string client_id{};
  protocol::reason_code why{};
  std::shared_ptr<std::promise<bool>> answer{};
};
/// publish_run: what the application publishes.
using door_mail = std::variant<newcomer, neighbourhood, stop_order, publish_run, access_change,
                               session_question, kick_order>;

/// One item of the mailbox at the door.
struct visitor {
  door_mail what;
  std::size_t octets() const noexcept;
};

/// One item of the mailbox between shards.
struct parcel {
  shard_mail what;
  std::size_t octets() const noexcept;
};

/// What all shards of a broker share; outlives them.
struct premises {
  broker_options options{};
  std::unique_ptr<shard_counters[]> counts{}; // one per shard
  shard_number shards = 1;
  const std::unique_ptr<bridge_desk> bridges = std::make_unique<bridge_desk>();
  const std::shared_ptr<runtime::tally> turned_away = std::make_shared<runtime::tally>(); // at the doors
  std::shared_ptr<const runtime::tally> store_failures{}; // null: none are counted
  std::shared_ptr<const stored_state> past{};             // of an earlier life; until the shards are made
};

broker_statistics statistics_of(const premises& place);

class shard_actor final : public runtime::resident, public shard_host {
public:
  shard_actor(caf::actor_config& config, runtime::place where, std::shared_ptr<const premises> broker,
              shard_number self, std::shared_ptr<stop_latch> ended);

  runtime::mailbox<visitor>& door() noexcept { return door_; }
  runtime::mailbox<parcel>& mail() noexcept { return mail_; }
  /// Whoever brings a transport passes it through a bridge over this line first.
  const std::shared_ptr<runtime::desk_line>& line() const noexcept { return desk_.line(); }

protected:
  bool on_bell() override;
  void on_stop() override;

private:
  // What waits for one neighbour.
  struct outgoing {
    runtime::inlet<parcel> to{};
    std::vector<parcel> waiting{};
  };

  void post(shard_number to, shard_mail&& what) override;
  bool is_crowded() const noexcept override { return is_crowded_; }
  void call_again() noexcept override;
  void on_event_end(protocol::time_point next) override;
  protocol::time_point now() noexcept override { return time().now(); }
  runtime::bell* door_bell() noexcept override { return this; }

  authenticator::reply reply_to(peer_number who) override;

  void on_door(door_mail&& what);
  void on_visit(newcomer&& one);
  void on_visit(neighbourhood&& all);
  void on_visit(stop_order&& order);
  void on_visit(publish_run&& own);
  void on_visit(access_change&& change);
  void on_visit(session_question&& asked);
  void on_visit(kick_order&& order);
  void on_due();
  void on_stop_timeout();
  void on_figures_due();
  void send_out();
  bool send_out(outgoing& one);
  void end_if_empty();

  runtime::desk desk_;
  std::shared_ptr<const premises> broker_;
  std::shared_ptr<stop_latch> ended_;
  shard_number self_;
  runtime::mailbox<visitor> door_;
  runtime::mailbox<parcel> mail_;
  runtime::outlet<visitor> from_door_;
  runtime::outlet<parcel> from_mail_;
  std::shared_ptr<letter_box> letters_; // of authenticators
  std::vector<outgoing> neighbours_{};  // by number; the place of this shard is empty
  bool has_outgoing_ = false;
  bool is_crowded_ = false;
  bool is_called_ = false;
  runtime::deadline due_{runtime::calls<&shard_actor::on_due>, *this};
  system_topics figures_{}; // of the whole broker: the first shard says them
  protocol::time_point started_{};
  runtime::deadline figures_due_{runtime::calls<&shard_actor::on_figures_due>, *this};
  runtime::deadline stop_timeout_{runtime::calls<&shard_actor::on_stop_timeout>, *this};
  std::unique_ptr<shard> shard_;
};

} // namespace troupe::brokerage
