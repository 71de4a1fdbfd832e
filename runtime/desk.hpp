// desk: where an actor receives the calls of its transports.
//
// Lives here: desk (the actor's part), desk_line (what others hold of it).
// Holds:   on a scheduler of ours an actor lives on its home's thread, where sockets call it directly;
//          then a desk does nothing. On a stock scheduler the actor runs elsewhere: the desk keeps the
//          calls until the actor's next run, in order, and rings him for it.
//          How to use it, whatever the scheduler: own a desk; call run() first in on_bell() and close()
//          in on_stop(); pass every transport through bridge(line, transport) on the home's thread before
//          it is handed to the actor.
// Threads: desk: the actor's. desk_line: call() on any thread.
// Costs:   at home: nothing. Else: a mutex for each call, of which there is one per read.
#pragma once

#include "bell.hpp"
#include "home.hpp"
#include "slab_pool.hpp"
#include "task.hpp"

#include <memory>
#include <mutex>
#include <vector>

namespace troupe::runtime {

class desk_line {
public:
  desk_line(home& where, bell& owner, bool is_at_home) noexcept
      : home_{where}, is_at_home_{is_at_home}, owner_{&owner} {}
  desk_line(const desk_line&) = delete;
  desk_line& operator=(const desk_line&) = delete;

  home& where() const noexcept { return home_; }
  /// Whether the actor runs on the thread of his home.
  bool is_at_home() const noexcept { return is_at_home_; }
  /// The actor makes this call in his next run. Once the desk is closed, `what` is destroyed instead.
  void call(task what);
  /// Slabs for what the actor writes while he is not at home; only in his runs.
  slab_pool& slabs() noexcept { return slabs_; }

private:
  friend class desk;

  home& home_;
  const bool is_at_home_;
  std::mutex mutex_;
  bell* owner_;             // under mutex_; null once closed
  std::vector<task> calls_; // under mutex_
  slab_pool slabs_{std::size_t{4} << 20U};
};

class desk {
public:
  desk(home& where, bell& owner, bool is_at_home)
      : line_{std::make_shared<desk_line>(where, owner, is_at_home)} {}
  ~desk() { close(); }
  desk(const desk&) = delete;
  desk& operator=(const desk&) = delete;

  const std::shared_ptr<desk_line>& line() const noexcept { return line_; }
  home& where() const noexcept { return line_->where(); }
  bool is_at_home() const noexcept { return line_->is_at_home(); }
  /// Makes the calls that wait. What the actor wrote in his last run goes to its sockets now.
  void run();
  /// No call is made any more.
  void close() noexcept;

private:
  std::shared_ptr<desk_line> line_;
  std::vector<task> present_; // being called; keeps its memory
  bool is_closed_ = false;
};

} // namespace troupe::runtime
