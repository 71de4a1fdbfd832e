#include "message.hpp"

#include <atomic>
#include <cstring>
#include <new>

namespace troupe {

namespace {

/// Octets of one cloned message, behind the object itself.
class clone_keeper final : public protocol::keeper {
public:
  static clone_keeper* make(std::size_t size) {
    void* const memory = ::operator new(sizeof(clone_keeper) + size + protocol::read_slack);
    auto* const made = ::new (memory) clone_keeper;
    std::memset(made->data() + size, 0, protocol::read_slack);
    return made;
  }
  protocol::octet* data() noexcept { return reinterpret_cast<protocol::octet*>(this + 1); }

  void retain(std::uint32_t count) noexcept override { count_.fetch_add(count, std::memory_order_relaxed); }
  void release(std::uint32_t count) noexcept override {
    if (count_.fetch_sub(count, std::memory_order_acq_rel) != count) return;
    this->~clone_keeper();
    ::operator delete(this);
  }

private:
  std::atomic<std::uint32_t> count_{1}; // every message that shares these octets
};

protocol::octets put(protocol::octet*& at, protocol::octets from) noexcept {
  protocol::octet* const begin = at;
  if (!from.empty()) std::memcpy(begin, from.data(), from.size());
  at += from.size();
  return {begin, from.size()};
}

} // namespace

message message::clone() const {
  const auto topic = protocol::as_octets(packet_.topic);
  const auto block = packet_.properties.block();
  auto* const owner = clone_keeper::make(topic.size() + packet_.payload.size() + block.size());
  protocol::octet* at = owner->data();
  protocol::publish copy = packet_;
  copy.topic = protocol::as_text(put(at, topic));
  copy.payload = put(at, packet_.payload);
  copy.properties = {put(at, block), packet_.properties.seen()};
  message result{copy, nullptr};
  result.kept_ = protocol::keeper_ref::adopt(owner);
  return result;
}

} // namespace troupe
