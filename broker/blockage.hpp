// blockage: a full queue that stops whoever fills it (overflow::block).
//
//   none --full--> stopping --half empty--> none
//                     '--block_timeout--> given up (drops the newest) --half empty--> none
//
// Lives here: blockage, one for each session whose queue is full; stop_wish, what it wants of a publisher.
// Holds:   nobody stops for ever, nor for himself; who has messages waiting himself is not stopped, since his
//          acknowledgements come by the way that would not be read: so no ring of clients can lock.
// Threads: belongs to the shard of the session; its publishers may be on others (publisher_stop).
// Costs:   nothing to a session whose queue has never been full.
#pragma once

#include "onward.hpp"

#include "../protocol/vocabulary.hpp"

#include <vector>

namespace troupe::brokerage {

struct blockage {
  std::vector<session_number> publishers{}; // who has been asked to stop
  protocol::time_point ends = protocol::never;
  bool is_given_up = false;
};

/// The queue of session `by` is full, or not any more: its publisher is to stop, or to go on.
struct stop_wish {
  session_number publisher = 0;
  session_number by = 0;
  bool begins = true;
  bool is_first = true; // of `by` to this publisher, since the queue is full
};

} // namespace troupe::brokerage
