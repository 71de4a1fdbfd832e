// subscriber: the actor that calls one handler on the client's home.
//
// Lives here: the actor subscriber.
// Holds:   deliveries in the order of the dispatcher; a bounded number of them per run, so that one
//          subscription cannot starve the others. Its queue is bounded by the batches in flight and by
//          the subscription's overflow policy.
// Threads: its home's (on CAF's own schedulers: wherever it is run). The handler must not block.
// Costs:   an actor per subscription; per delivery a push and a part of a bell.
#pragma once

#include "handler_runner.hpp"

#include "../runtime/outlet.hpp"
#include "../runtime/resident.hpp"

namespace troupe::actors {

class subscriber final : public runtime::resident {
public:
  subscriber(caf::actor_config& config, runtime::place where, handler_runner runner)
      : resident{config, where}, box_{*this}, outlet_{box_}, runner_{std::move(runner)} {}

  runtime::mailbox<delivery>& box() noexcept { return box_; }

private:
  static constexpr std::size_t deliveries_per_run = 8;

  bool on_bell() override {
    const bool has_more =
        outlet_.drain(deliveries_per_run, [this](delivery&& what) { runner_.run(std::exchange(what, {})); });
    runner_.flush();
    return has_more;
  }
  void on_stop() override {
    outlet_.close([this](delivery&& what) { runner_.pass_over(what); });
    runner_.flush();
    runner_.end();
  }

  runtime::mailbox<delivery> box_;
  runtime::outlet<delivery> outlet_;
  handler_runner runner_;
};

} // namespace troupe::actors
