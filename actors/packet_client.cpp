#include "packet_client.hpp"

#include "client_setup.hpp"
#include "packet_link.hpp"

#include "../protocol/errc.hpp"
#include "../runtime/house.hpp"

#include <mutex>
#include <utility>

namespace troupe {

/// The user's end of the actor.
class packet_client::link {
public:
  link(stage& where, const client_options& options, packet_events events)
      : actor_{where.inside().spawn<actors::packet_link>(
          where.inside().next_home(), actors::supervisor_setup(options), std::move(events))},
        inlet_{actor_->wishes()} {}
  link(const link&) = delete;
  link& operator=(const link&) = delete;
  ~link() {
    inlet_.drop();
    actor_->stop_soon();
  }

  protocol::result<void> push(actors::packet_wish&& wish) {
    const std::scoped_lock lock{mutex_};
    switch (inlet_.push(wish)) {
    case runtime::offer::taken: return {};
    case runtime::offer::full: return protocol::errc::backpressure;
    default: return protocol::errc::closed;
    }
  }
  void stop() noexcept { actor_->stop_soon(); }

private:
  runtime::resident_ref<actors::packet_link> actor_;
  std::mutex mutex_;                          // the senders'
  runtime::inlet<actors::packet_wish> inlet_; // under mutex_
};

packet_client::packet_client(stage& where, const client_options& options, packet_events events)
    : version_{options.version}, link_{std::make_shared<link>(where, options, std::move(events))} {}

packet_client::~packet_client() = default;

protocol::result<void> packet_client::send(protocol::octets packet) {
  actors::packet_wish wish;
  wish.bytes.assign(packet.begin(), packet.end());
  return link_->push(std::move(wish));
}

void packet_client::close() noexcept {
  actors::packet_wish wish;
  wish.then = actors::after_batch::close;
  if (!link_->push(std::move(wish))) link_->stop(); // no room, or over
}

void packet_client::abort() noexcept { link_->stop(); }

void packet_client::memory_outbox::grow(std::size_t count) {
  take();
  const std::size_t used = octets_.size();
  octets_.resize(used + count);
  cursor_ = octets_.data() + used;
  end_ = octets_.data() + octets_.size();
}

void packet_client::memory_outbox::borrow(protocol::octets payload, protocol::keeper*) {
  take();
  octets_.insert(octets_.end(), payload.begin(), payload.end());
}

const std::vector<protocol::octet>& packet_client::memory_outbox::take() {
  if (cursor_ != nullptr) octets_.resize(static_cast<std::size_t>(cursor_ - octets_.data()));
  cursor_ = end_ = nullptr;
  return octets_;
}

} // namespace troupe
