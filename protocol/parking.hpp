// parking: publishes that wait for a connection or for the window, in the order of their calls.
//
// Lives here: parking.
// Holds:   first in, first out. What a parked publish says is kept by the host; here are names only.
// Threads: belongs to one client_machine.
// Units:   16 octets a publish; the bound is the host's, who sees size().
// Costs:   no allocation below the largest size so far; a large emptied place is given back.
#pragma once

#include "action.hpp"
#include "vocabulary.hpp"

#include <cstddef>
#include <vector>

namespace troupe::protocol {

class parking {
public:
  struct ticket {
    request_token token = 0;
    qos quality = qos::at_most_once;
  };

  bool empty() const noexcept { return count_ == 0; }
  std::size_t size() const noexcept { return count_; }
  const ticket& front() const noexcept { return places_[head_]; }
  void push(ticket next);
  void pop() noexcept;
  /// Takes `token` out, wherever it stands. Walks from the front.
  bool remove(request_token token) noexcept;
  /// Calls `f(token)` for each, in order.
  template <class F>
  void for_each(F f) const {
    for (std::size_t n = 0; n != count_; ++n) f(places_[(head_ + n) & (places_.size() - 1)].token);
  }

private:
  ticket& place(std::size_t n) noexcept { return places_[(head_ + n) & (places_.size() - 1)]; }
  void grow();

  std::vector<ticket> places_; // a ring; its size is a power of two or 0
  std::size_t head_ = 0;
  std::size_t count_ = 0;
};

} // namespace troupe::protocol
