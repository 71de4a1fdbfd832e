#include "pending.hpp"

#include "client_core.hpp"

#include "../protocol/errc.hpp"
#include "../runtime/resident.hpp"

#include <algorithm>

namespace troupe {

namespace {
constexpr auto forever = std::chrono::steady_clock::time_point::max();
} // namespace

outcome pending<outcome>::get() {
  if (block_ == nullptr) return outcome{protocol::errc::closed};
  if (!done()) {
    if (!runtime::may_block()) return outcome{protocol::errc::would_deadlock};
    static_cast<void>(block_->wait(at_, round_, forever));
  }
  const outcome result = block_->read(at_);
  give_up();
  block_ = nullptr;
  return result;
}

outcome pending<outcome>::get(std::stop_token stop) {
  {
    // On another thread, perhaps; so it is over before anything of this object changes.
    const std::stop_callback on_stop{std::move(stop), [this] { cancel(); }};
    if (!done() && runtime::may_block()) static_cast<void>(block_->wait(at_, round_, forever));
  }
  return get();
}

void pending<outcome>::cancel() const {
  if (done()) return;
  const auto core = block_->owner();
  if (!core) return;
  auto wish = std::make_unique<actors::control_request>(actors::control::withdraw, actors::asker{});
  wish->withdrawn = {block_, at_, round_};
  core->ask(std::move(wish));
}

bool pending<outcome>::wait_for(std::chrono::nanoseconds time) const {
  if (done()) return true;
  if (!runtime::may_block()) return false;
  const auto now = std::chrono::steady_clock::now();
  const bool is_endless = time > std::chrono::hours{24 * 365};
  return block_->wait(at_, round_, is_endless ? forever : now + time);
}

} // namespace troupe
