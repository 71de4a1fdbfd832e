// load_turns: what happens once in a load: a storm of reconnects, a takeover, stored messages let go.
//
// Lives here: load_turns.
// Holds:   the clients and messages are those of a load_session, which it only tells what to do.
//          `tick` is called now and then while something is waited for; false: give up.
// Threads: one outside thread; it goes before the session.
// Errors:  the functions that answer a bool say false when they gave up; what failed is in the notes.
#pragma once

#include "load_session.hpp"

#include <functional>
#include <memory>
#include <vector>

namespace troupe::bench {

class load_turns {
public:
  explicit load_turns(load_session& session) : session_{session} {}
  ~load_turns();
  load_turns(const load_turns&) = delete;
  load_turns& operator=(const load_turns&) = delete;

  /// Every subscriber's connection is cut and made again, all at once.
  void storm();
  /// A second client of the same name for each one that is connected; waits until the first ones know.
  bool take_over(const std::function<bool()>& tick);
  /// Publishes what is to be stored and waits until the broker has it; subscribers that are to resume
  /// their sessions leave before.
  bool store(const std::function<bool()>& tick);
  /// Lets it go to the subscribers.
  bool release(const std::function<bool()>& tick);
  /// Takes back what would stay in a broker that lives on.
  void clear();
  /// What was found, beside counts and times of the session.
  void fill(load_result& result);

private:
  bool wait_for(const std::function<bool()>& done, const std::function<bool()>& tick);

  load_session& session_;
  std::vector<std::unique_ptr<load_client>> takers_{};
};

} // namespace troupe::bench
