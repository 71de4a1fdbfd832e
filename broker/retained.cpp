#include "retained.hpp"

#include <algorithm>

namespace troupe::brokerage {

bool retained::set(const message_ref& word, const stamp& when) {
  clock_ = std::max(clock_, when.count);
  const protocol::publish& packet = word->packet();
  const bool clears = packet.payload.empty();
  auto place = words_.find(packet.topic);
  if (place == words_.end()) {
    if (clears && !is_shared_) return true;
    if (!clears && size_ >= most_) return false;
    place = words_.emplace(std::string{packet.topic}, entry{}).first;
  } else if (when < place->second.when) {
    return true; // an earlier word came late
  }
  if (place->second.message) --size_;
  place->second = {clears ? message_ref{} : word, when};
  if (clears)
    clear(place);
  else
    ++size_;
  return true;
}

void retained::clear(table::iterator place) {
  if (!is_shared_) {
    words_.erase(place);
    return;
  }
  cleared_.push_back(place->first);
  if (cleared_.size() >= most_cleared) forget_cleared();
}

void retained::forget_cleared() {
  for (const std::string& topic : cleared_before_) {
    const auto place = words_.find(topic);
    if (place != words_.end() && !place->second.message) words_.erase(place);
  }
  cleared_before_ = std::move(cleared_);
  cleared_.clear();
}

std::string_view retained::stem(std::string_view filter) noexcept {
  const std::size_t wild = filter.find_first_of("+#");
  if (wild == std::string_view::npos) return filter;
  std::string_view beginning = filter.substr(0, wild);
  // "a/#" matches "a" as well
  if (filter[wild] == '#' && beginning.size() > 1) beginning.remove_suffix(1);
  return beginning;
}

} // namespace troupe::brokerage
