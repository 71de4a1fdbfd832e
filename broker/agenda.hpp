// agenda: what a shard has to look at, and when.
//
// Lives here: agenda: moments with the number of a peer or a session.
// Holds:   an entry is a reminder, not a truth: whoever is named is asked for his present deadline when it
//          comes up, and entered again. So nothing is ever moved or taken out.
// Threads: belongs to one shard.
// Costs:   logarithmic; a peer is entered about once per keep-alive interval, whatever its traffic.
#pragma once

#include "../protocol/vocabulary.hpp"

#include <cstdint>
#include <queue>
#include <vector>

namespace troupe::brokerage {

class agenda {
public:
  enum class kind : std::uint8_t { peer, session };
  struct entry {
    protocol::time_point when{};
    std::uint64_t number = 0;
    kind what = kind::peer;
    bool operator>(const entry& other) const noexcept { return when > other.when; }
  };

  void enter(protocol::time_point when, kind what, std::uint64_t number) {
    if (when != protocol::never) entries_.push({when, number, what});
  }
  /// never when there is nothing.
  protocol::time_point next() const noexcept {
    return entries_.empty() ? protocol::never : entries_.top().when;
  }
  /// Takes out and answers to `f(const entry&)` what is due at `now`.
  template <class F>
  void take_due(protocol::time_point now, F f) {
    while (!entries_.empty() && entries_.top().when <= now) {
      const entry due = entries_.top();
      entries_.pop();
      f(due);
    }
  }

private:
  std::priority_queue<entry, std::vector<entry>, std::greater<>> entries_{};
};

} // namespace troupe::brokerage
