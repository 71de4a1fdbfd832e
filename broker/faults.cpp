#include "faults.hpp"

#include <utility>

namespace troupe {

void fault_orders::add(fault order) {
  const std::lock_guard lock{mutex_};
  orders_.push_back(std::move(order));
}

void fault_orders::clear() {
  const std::lock_guard lock{mutex_};
  orders_.clear();
}

std::uint64_t fault_orders::done() const {
  const std::lock_guard lock{mutex_};
  return done_;
}

std::size_t fault_orders::open() const {
  const std::lock_guard lock{mutex_};
  return orders_.size();
}

std::vector<fault> fault_orders::take(fault::way where, protocol::packet_type type,
                                      std::string_view client_id) {
  const std::lock_guard lock{mutex_};
  std::vector<fault> fitting;
  for (auto one = orders_.begin(); one != orders_.end();) {
    const bool fits = one->where == where && (!one->on || *one->on == type)
                      && (one->client_id.empty() || one->client_id == client_id);
    if (!fits || (one->skip != 0 && one->skip-- != 0)) {
      ++one;
      continue;
    }
    fitting.push_back(*one);
    const bool is_used_up = one->times != 0 && --one->times == 0;
    one = is_used_up ? orders_.erase(one) : std::next(one);
  }
  if (!fitting.empty()) ++done_;
  return fitting;
}

} // namespace troupe
