#include "itinerary.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace troupe::actors {

namespace {

using advice = redirect_advice::kind;

/// However often brokers move.
constexpr std::size_t most_known = 32;

} // namespace

itinerary::itinerary(std::vector<runtime::endpoint> known, std::uint16_t most_hops)
    : known_{std::move(known)}, most_hops_{most_hops} {}

void itinerary::leave_detour() noexcept {
  detour_.clear();
  detour_at_ = 0;
}

void itinerary::go_on() noexcept {
  if (is_on_detour() && ++detour_at_ != detour_.size()) return;
  leave_detour();
  known_at_ = (known_at_ + 1) % known_.size();
}

void itinerary::begin_again() noexcept {
  leave_detour();
  hops_ = 0;
}

/// Nobody named: "the other server is already known to the client", or there is none; then one that asks for
/// another this time may take us later, and one that has moved will not.
redirect_advice itinerary::follow(protocol::reason_code reason, std::string_view reference) {
  if (most_hops_ == 0) return {};
  const bool is_for_good = reason == protocol::reason_code::server_moved;
  auto found = references_of(reference, here());
  std::error_code why = is_for_good ? redirect_errc::server_moved : redirect_errc::use_another_server;
  if (found.empty() && !reference.empty()) why = redirect_errc::no_usable_reference;
  if (found.empty() && !is_on_detour() && known_.size() == 1)
    return {is_for_good ? advice::give_up : advice::wait, why};
  if (hops_ == most_hops_) {
    hops_ = 0; // the wait that follows is what ends the row
    return {advice::wait, redirect_errc::too_many};
  }
  ++hops_;
  if (is_for_good && !is_on_detour()) {
    move(std::move(found));
  } else if (found.empty()) {
    go_on();
  } else {
    detour_ = std::move(found);
    detour_at_ = 0;
  }
  return {advice::dial, why};
}

/// The one that moved is replaced by those that are new; if there are none, the first of them is where it is.
void itinerary::move(std::vector<runtime::endpoint> to) {
  known_.erase(known_.begin() + static_cast<std::ptrdiff_t>(known_at_));
  if (to.empty()) {
    known_at_ %= known_.size();
    return;
  }
  const auto first = to.front();
  std::erase_if(to, [this](const auto& each) { return std::ranges::find(known_, each) != known_.end(); });
  to.resize(std::min(to.size(), most_known - std::min(known_.size(), most_known - 1)));
  known_.insert(known_.begin() + static_cast<std::ptrdiff_t>(known_at_), to.begin(), to.end());
  const auto place = std::ranges::find(known_, first);
  known_at_ = place == known_.end() ? 0 : static_cast<std::size_t>(place - known_.begin());
}

} // namespace troupe::actors
