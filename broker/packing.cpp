#include "packing.hpp"

#include <algorithm>
#include <utility>

namespace troupe::brokerage {

namespace {

/// What small packets share.
constexpr std::size_t shared_slab = std::size_t{64} << 10U;
constexpr std::size_t cache_line = 64;

} // namespace

publish_run packer::pack(const protocol::publish& packet, session_number from,
                         protocol::time_point received) {
  protocol::publish plain = packet;
  plain.topic_alias = 0;
  plain.dup = false;
  plain.id = plain.quality == protocol::qos::at_most_once ? protocol::packet_id{0} : protocol::packet_id{1};

  if (!protocol::check_encodable(plain, protocol::version::v5_0)) return {.count = 0};
  if (open_ != nullptr && open_->is_sole()) cursor_ = open_->data(); // all of it has been read: still warm
  const std::size_t size = protocol::encoded_size(plain, protocol::version::v5_0);
  publish_run run{.frames = {reserve(size), size},
                  .largest = static_cast<std::uint32_t>(size),
                  .owner = protocol::keeper_ref{open_},
                  .from = from,
                  .received = received};
  protocol::append_publish(*this, plain, protocol::version::v5_0, nullptr);
  close_packet();
  return run;
}

/// Others may read the slack of the packet while the next one is written: whole lines keep them apart.
void packer::close_packet() noexcept {
  if (open_->capacity() > shared_slab) return give_up_slab(); // nothing small is to hold it
  const auto used = static_cast<std::size_t>(cursor_ - open_->data());
  const std::size_t next = (used + protocol::read_slack + cache_line - 1) / cache_line * cache_line;
  cursor_ = open_->data() + std::min(next, open_->capacity());
}

void packer::grow(std::size_t count) {
  give_up_slab();
  open_ = pool_.take(std::max(count, shared_slab));
  cursor_ = open_->data();
  end_ = cursor_ + open_->capacity();
}

void packer::give_up_slab() noexcept {
  cursor_ = end_ = nullptr;
  if (open_ != nullptr) std::exchange(open_, nullptr)->release(1);
}

void packer::borrow(protocol::octets payload, protocol::keeper*) {
  commit(std::copy(payload.begin(), payload.end(), reserve(payload.size())));
}

} // namespace troupe::brokerage
