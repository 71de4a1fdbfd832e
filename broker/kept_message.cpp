#include "kept_message.hpp"

#include <bit>
#include <chrono>
#include <cstring>
#include <optional>
#include <string_view>

namespace troupe::brokerage {

namespace {

using protocol::octet;

/// What a message costs beside its octets, in the bound of a queue.
constexpr std::size_t overhead = sizeof(kept_message);

const octet* append(octet*& to, protocol::octets from) noexcept {
  const octet* begin = to;
  if (!from.empty()) std::memcpy(to, from.data(), from.size());
  to += from.size();
  return begin;
}

protocol::time_point expiry_of(const protocol::publish& packet, protocol::time_point received) noexcept {
  if (!packet.properties.has(protocol::property::message_expiry_interval)) return protocol::never;
  const auto interval = packet.properties.number(protocol::property::message_expiry_interval);
  return interval ? received + std::chrono::seconds{*interval} : protocol::never;
}

} // namespace

message_store::~message_store() {
  for (kept_message* list : free_)
    while (list != nullptr) free_block(std::exchange(list, list->next_));
}

message_ref message_store::keep(const protocol::publish& packet, protocol::keeper* owner,
                                protocol::time_point received) {
  const bool refers = owner != nullptr && packet.payload.size() >= by_reference;
  const protocol::octets properties = packet.properties.block();
  const std::size_t copied = refers ? 0 : packet.payload.size();
  kept_message* made = take_block(sizeof(kept_message) + properties.size() + packet.topic.size() + copied
                                  + protocol::read_slack);
  octet* at = reinterpret_cast<octet*>(made + 1);
  made->record_ = {};
  made->packet_ = packet;
  made->packet_.topic_alias = 0;
  made->packet_.properties = {{append(at, properties), properties.size()}, packet.properties.seen()};
  const octet* topic = append(at, protocol::as_octets(packet.topic));
  made->packet_.topic = protocol::as_text({topic, packet.topic.size()});
  if (refers)
    made->owner_ = protocol::keeper_ref{owner};
  else
    made->packet_.payload = {append(at, packet.payload), packet.payload.size()};
  made->received_ = received;
  made->expires_ = expiry_of(packet, received);
  made->weight_ = overhead + properties.size() + packet.topic.size() + packet.payload.size();
  return message_ref{made};
}

kept_message* message_store::take_block(std::size_t octets) {
  const std::size_t units = (octets + smallest_block - 1) / smallest_block;
  const auto size_class = static_cast<std::uint32_t>(std::bit_width(units - 1));
  if (size_class < classes && free_[size_class] != nullptr) {
    kept_message* idle = std::exchange(free_[size_class], free_[size_class]->next_);
    idle_ -= smallest_block << size_class;
    return idle;
  }
  kept_message* made = size_class < classes ? new_block(smallest_block << size_class, size_class)
                                            : new_block(octets, unpooled);
  made->home_ = this;
  return made;
}

void message_store::recycle(kept_message* gone) noexcept {
  gone->owner_ = {};
  const std::size_t size =
      gone->size_class_ == unpooled ? most_idle + 1 : smallest_block << gone->size_class_;
  if (idle_ + size > most_idle) return free_block(gone);
  gone->next_ = std::exchange(free_[gone->size_class_], gone);
  idle_ += size;
}

kept_message* message_store::new_block(std::size_t octets, std::uint32_t size_class) {
  auto* made = new (::operator new(octets)) kept_message;
  made->size_class_ = size_class;
  return made;
}

void message_store::free_block(kept_message* gone) noexcept {
  gone->~kept_message();
  ::operator delete(gone);
}

void message_ref::detach() {
  if (target_ == nullptr) return;
  message_store passing_through;
  *this = passing_through.keep(target_->packet_, target_->owner(), target_->received_);
  target_->home_ = nullptr;
}

} // namespace troupe::brokerage
