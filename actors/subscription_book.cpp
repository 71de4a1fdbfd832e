#include "subscription_book.hpp"

#include <algorithm>

namespace troupe::actors {

book_entry& subscription_book::add(const link_ref& link) {
  book_entry& entry = lines_[link->filter];
  if (entry.past) { // of an earlier process: this one may want it otherwise
    entry.past.reset();
    entry.is_granted = false;
  }
  entry.links.push_back(link);
  return entry;
}

auto subscription_book::remove(const subscription_link& link, book_entry& line) -> removal {
  const auto found = lines_.find(std::string_view{link.filter});
  if (found == lines_.end()) return removal::unknown;
  auto& links = found->second.links;
  const auto mine =
      std::find_if(links.begin(), links.end(), [&link](const link_ref& each) { return each.get() == &link; });
  if (mine == links.end()) return removal::unknown;
  if (links.size() > 1) {
    links.erase(mine);
    return removal::one_of_many;
  }
  line = std::move(found->second);
  lines_.erase(found);
  return removal::last;
}

book_entry subscription_book::take(std::string_view filter) {
  const auto found = lines_.find(filter);
  if (found == lines_.end()) return {};
  book_entry result = std::move(found->second);
  lines_.erase(found);
  return result;
}

book_entry* subscription_book::find(std::string_view filter) noexcept {
  const auto found = lines_.find(filter);
  return found == lines_.end() ? nullptr : &found->second;
}

protocol::subscription subscription_book::line(std::string_view filter, const book_entry& entry) noexcept {
  protocol::subscription result;
  if (entry.past && entry.links.empty()) result = *entry.past;
  result.filter = filter;
  for (const link_ref& link : entry.links) {
    result.quality = std::max(result.quality, link->maximum);
    // The latest link decides about the rest, as a later SUBSCRIBE replaces an earlier one.
    result.no_local = link->options.no_local;
    result.retain_as_published = link->options.retain_as_published;
    result.handling = static_cast<protocol::retain_handling>(link->options.retained);
  }
  return result;
}

void subscription_book::lose() noexcept {
  for (auto& [filter, entry] : lines_) entry.is_granted = false;
}

} // namespace troupe::actors
