// client_agent: the actor behind spawn_client.
//
// Lives here: client_agent, its tray (what other threads tell it), one receiver's subscription.
// Holds:   promises are kept by number, so that an answer that comes late, or never, is nothing to fear:
//          what is open when the actor ends is answered then.
// Threads: its stage's, one run at a time; the tray is filled by anybody.
// Costs:   an allocation per request that is out, and one per answer on its way.
#pragma once

#include "client.hpp"
#include "client_actor.hpp"
#include "postbox.hpp"
#include "return_stack.hpp"

#include "../runtime/resident.hpp"

#include <caf/response_promise.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

namespace troupe::actors {

class client_agent final : public runtime::resident {
public:
  client_agent(caf::actor_config& config, runtime::place where, stage& inside, client_options options);

  const char* name() const override { return "troupe.client"; }
  std::set<std::string> message_types() const override;

private:
  enum class note : std::uint8_t { ended, granted, mail, state, gone };

  /// What other threads put, for the next run.
  class tray {
  public:
    explicit tray(client_agent& owner) : bell_{owner} {}
    ~tray() { take(); }
    void put(note what, std::uint64_t number, const outcome& how = {}, const state_change& change = {});
    struct sheet {
      note what;
      std::uint64_t number;
      outcome how;
      state_change change;
      sheet* next;
    };
    /// In the order in which they were put.
    std::vector<sheet> take();
    /// No more rings.
    void silence() { is_silent_.store(true, std::memory_order_release); }

  private:
    return_stack<sheet> stack_;
    runtime::bell_ref bell_;
    std::atomic<bool> is_silent_{false}; // set by the agent
  };

  struct receiver {
    caf::actor who{};
    std::shared_ptr<postbox> box{};
    subscription source{};
    std::uint64_t promise = 0; // of the request, until it is answered
    std::uint32_t credit = 0;
    bool is_granted = false;
  };
  using receivers = std::unordered_map<std::uint64_t, receiver>;

  caf::behavior make_behavior() override;
  bool on_bell() override;
  void on_stop() override;

  caf::result<mail::ended> on_publish(const mail::publish& what);
  caf::result<mail::subscribed> on_subscribe(mail::subscribe& what);
  caf::result<mail::ended> on_unsubscribe(const mail::unsubscribe& what);
  void on_credit(const mail::credit& what);
  void on_watch();
  void on_exit_wanted(const caf::exit_msg& why);
  void on_down(const caf::down_msg& who);
  template <class Start>
  caf::result<mail::ended> operate(note what, Start start);

  void on_note(const tray::sheet& sheet);
  void on_granted(std::uint64_t number, const outcome& how);
  void on_state(const state_change& change);
  void deliver(std::uint64_t number, receiver& to);
  void end(receivers::iterator which);
  void answer(std::uint64_t promise, const outcome& how);
  std::uint64_t keep_promise();

  std::shared_ptr<tray> tray_;
  std::optional<client> client_;
  state_watch states_;
  state_change state_{};
  std::uint64_t next_ = 1;
  std::unordered_map<std::uint64_t, caf::response_promise> promises_;
  receivers receivers_;
  std::vector<caf::actor> watchers_;
  std::optional<caf::error> ending_; // the reason of the end that is under way
};

} // namespace troupe::actors
