// itinerary: which broker is dialled next.
//
//     known:   a -> b -> c -> a ...                one on after each failure and each lost connection
//     detour:  said by one of them (0x9C): x -> y, and then on with the known
//
// Lives here: itinerary, redirect_advice.
// Holds:   a broker that has moved for good (0x9D) stands under its new addresses from then on; one that
//          asks for another this time (0x9C) is left for a detour, which ends when its addresses have
//          failed or the connection made on it is lost. Without a usable reference the other brokers that are
//          known are meant. Nobody is sent on more often than `most_hops` in a row: settle() ends a row.
// Threads: belongs to one supervisor.
#pragma once

#include "redirect.hpp"

#include "../protocol/reason_code.hpp"
#include "../runtime/endpoint.hpp"

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <system_error>
#include <vector>

namespace troupe::actors {

struct redirect_advice {
  enum class kind : std::uint8_t {
    dial,    // here() at once
    wait,    // as after any failure
    give_up, // nobody is left who could be dialled
  };
  kind what = kind::give_up;
  std::error_code why{};
};

class itinerary {
public:
  /// At least one broker. `most_hops` 0: nobody follows.
  itinerary(std::vector<runtime::endpoint> known, std::uint16_t most_hops);

  const runtime::endpoint& here() const noexcept {
    return is_on_detour() ? detour_[detour_at_] : known_[known_at_];
  }
  std::uint16_t hops() const noexcept { return hops_; }
  /// Past a broker that failed or was lost.
  void go_on() noexcept;
  /// A connection has stood long enough.
  void settle() noexcept { hops_ = 0; }
  /// The user begins anew: no detour is under way.
  void begin_again() noexcept;
  /// The broker here said `reason` (use_another_server or server_moved), with these references.
  redirect_advice follow(protocol::reason_code reason, std::string_view reference);

private:
  bool is_on_detour() const noexcept { return detour_at_ < detour_.size(); }
  void move(std::vector<runtime::endpoint> to);
  void leave_detour() noexcept;

  std::vector<runtime::endpoint> known_;
  std::vector<runtime::endpoint> detour_;
  std::size_t known_at_ = 0;
  std::size_t detour_at_ = 0;
  std::uint16_t hops_ = 0; // in a row
  const std::uint16_t most_hops_;
};

} // namespace troupe::actors
