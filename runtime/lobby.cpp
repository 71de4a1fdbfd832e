#include "lobby.hpp"

#include "home.hpp"

#include <utility>

namespace troupe::runtime {

void lobby::enter(home& where, std::unique_ptr<octet_stream> stream) {
  const std::lock_guard lock{mutex_};
  if (is_closed_) return stream->close();
  if (guests_.size() >= most_) {
    lost_->add(1);
    return stream->close();
  }
  const std::uint64_t number = next_++;
  // The answer comes on this thread, so not before the guest stands in the book.
  guests_[number] = {&where, greeter::begin(where, std::move(stream), limit_,
                                            [self = shared_from_this(), &where, number](auto how) {
                                              self->leave(where, number, std::move(how));
                                            })};
}

void lobby::leave(home& where, std::uint64_t number, protocol::result<std::unique_ptr<octet_stream>> how) {
  {
    const std::lock_guard lock{mutex_};
    guests_.erase(number);
    if (is_closed_) return;
  }
  if (how)
    arrive_(where, std::move(*how));
  else
    lost_->add(1);
}

void lobby::close() noexcept {
  const std::lock_guard lock{mutex_};
  is_closed_ = true;
  for (auto& [number, each] : guests_) each.where->post([greets = each.greets] { greets->give_up(); });
  guests_.clear();
}

} // namespace troupe::runtime
