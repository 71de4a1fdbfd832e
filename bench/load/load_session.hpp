// load_session: the clients of a load, from dialling to the last message.
//
// Lives here: load_session.
// Holds:   receivers and responders are connected and subscribed before any publisher dials, unless what is
//          published is to be retained first. Nothing is sent before start(). drain() waits for what is on
//          its way.
// Threads: everything on one outside thread; handlers on the clients' workers.
// Errors:  failure() in words; notes() for what went wrong beside.
#pragma once

#include "broker_place.hpp"
#include "load_client.hpp"
#include "load_meter.hpp"
#include "load_receiver.hpp"
#include "load_result.hpp"
#include "open_loop.hpp"
#include "reconnects.hpp"

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

namespace troupe::bench {

class load_session {
public:
  explicit load_session(const load_plan& plan);
  ~load_session();
  load_session(const load_session&) = delete;
  load_session& operator=(const load_session&) = delete;

  /// Connects and subscribes; `tick` is called now and then and may say no.
  bool open(const std::function<bool()>& tick);
  void start();
  /// No more messages from now on.
  void stop();
  /// Writes down that the run was cut off, if it was.
  void judge_connections();
  /// Whether no connection is left of those that came up.
  bool is_cut_off() const noexcept;
  /// Whether nothing more is going to be sent.
  bool is_over() const noexcept;
  /// Waits, after stop(), until everything sent has its outcome and was received as often as it should be,
  /// at most until then; `tick` is called now and then.
  void drain(news::time_point until, const std::function<void()>& tick);
  /// Lets closed loops go on that wait for messages which do not come.
  void forgive_the_lost();

  /// Whether every message sent has its outcome.
  bool is_answered() const noexcept;
  bool subscribe_all(const std::function<bool()>& tick);
  void clear_retained();

  const load_plan& plan() const noexcept { return plan_; }
  std::unique_ptr<load_client> make_client(const std::string& id, std::uint32_t number);
  const event_log* events() const noexcept { return events_ ? &*events_ : nullptr; }
  std::span<const std::unique_ptr<load_client>> clients() const noexcept { return clients_; }
  std::span<const std::unique_ptr<load_client>> subscribers() const noexcept {
    return clients().first(subscribed_);
  }
  std::span<const std::unique_ptr<load_receiver>> receivers() const noexcept { return receivers_; }
  reconnects& comings() noexcept { return comings_; }
  load_meter& meter() noexcept { return meter_; }
  const std::string& failure() const noexcept { return failure_; }
  /// Counts, connect latencies and notes.
  void fill(load_result& result);

private:
  load_client& add_client(const std::string& role, std::uint32_t number);
  void add_subscribers();
  void add_publishers();
  bool bring_up_all(std::size_t from, const std::function<bool()>& tick);
  bool is_granted(const std::function<bool()>& tick);
  void add_churners();
  bool is_settled() const noexcept;
  std::uint64_t expected_receipts() const noexcept;
  void fill_faults(load_counts& counts) const;
  void fill_connects(load_result& result) const;

  load_plan plan_;
  std::uint32_t mark_;
  std::optional<event_log> events_;
  load_meter meter_;
  load_gate gate_;
  broker_place place_;
  std::string failure_;
  publisher_list publishers_;
  std::vector<std::unique_ptr<load_receiver>> receivers_;
  std::vector<std::unique_ptr<load_responder>> responders_;
  reconnects comings_{meter_};
  std::stop_source slowness_{};                       // of subscribers that take their time
  std::vector<std::unique_ptr<load_client>> clients_; // gone before what their handlers refer to
  std::size_t made_ = 0;                              // clients, in all
  std::size_t subscribed_ = 0;                        // the first so many of them subscribe
  std::optional<open_loop> schedule_;
  std::vector<load_client*> churners_{};
  std::optional<churn> churn_;
};

} // namespace troupe::bench
