#include "onward.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>

namespace troupe::brokerage {

namespace {

using protocol::octet;
using protocol::octets;
using protocol::property;

/// The octets that the property at the front of the valid block `rest` takes, identifier included.
std::size_t extent(octets rest) noexcept {
  const auto text_at = [&rest](std::size_t at) {
    return std::size_t{2} + (static_cast<std::size_t>(rest[at]) << 8U | rest[at + 1]);
  };
  switch (static_cast<property>(rest[0])) {
  case property::payload_format_indicator: return 2;
  case property::topic_alias: return 3;
  case property::message_expiry_interval:
  case property::will_delay_interval: return 5;
  case property::user_property: {
    const std::size_t name = 1 + text_at(1);
    return name + text_at(name);
  }
  case property::subscription_identifier: {
    std::size_t end = 1;
    while ((rest[end] & 0x80U) != 0) ++end;
    return end + 1;
  }
  default: return 1 + text_at(1); // content type, response topic, correlation data
  }
}

octet* write(octet* to, octets what) noexcept { return std::copy(what.begin(), what.end(), to); }

octet* write_interval(octet* to, std::uint32_t seconds) noexcept {
  for (const unsigned shift : {24U, 16U, 8U, 0U}) *to++ = static_cast<octet>(seconds >> shift);
  return to;
}

constexpr std::size_t longest_identifier = 1 + 4;

octet* write_identifier(octet* to, std::uint32_t identifier) noexcept {
  *to++ = static_cast<octet>(property::subscription_identifier);
  for (; identifier >= 0x80U; identifier >>= 7U) *to++ = static_cast<octet>(identifier | 0x80U);
  *to++ = static_cast<octet>(identifier);
  return to;
}

constexpr std::uint64_t bit(property id) noexcept { return std::uint64_t{1} << static_cast<unsigned>(id); }

/// Writes the properties of `rest` that stay, changed where they change; answers their end.
octet* write_changed(octet* to, octets rest, const property_changes& changes) noexcept {
  while (!rest.empty()) {
    const octets one = rest.first(extent(rest));
    rest = rest.subspan(one.size());
    const auto id = static_cast<property>(one[0]);
    if (changes.drop_alias && (id == property::topic_alias || id == property::will_delay_interval)) continue;
    if (changes.expiry && id == property::message_expiry_interval)
      to = write_interval(write(to, one.first(1)), *changes.expiry);
    else
      to = write(to, one);
  }
  return to;
}

} // namespace

protocol::properties_view rewritten(const protocol::properties_view& from, const property_changes& changes,
                                    std::vector<octet>& buffer) {
  if (!changes.any()) return from;
  const std::size_t most = from.block().size() + changes.identifiers.size() * longest_identifier;
  if (buffer.size() < most) buffer.resize(most);
  std::uint64_t seen = from.seen();
  octet* to = buffer.data();
  if (changes.drop_alias || changes.expiry)
    to = write_changed(to, from.block(), changes);
  else
    to = write(to, from.block());
  if (changes.drop_alias) seen &= ~(bit(property::topic_alias) | bit(property::will_delay_interval));
  for (const std::uint32_t identifier : changes.identifiers) to = write_identifier(to, identifier);
  if (!changes.identifiers.empty()) seen |= bit(property::subscription_identifier);
  if (changes.identifiers.size() > 1) seen |= 1U; // they repeat
  return {octets{buffer}.first(static_cast<std::size_t>(to - buffer.data())), seen};
}

std::optional<std::uint32_t> seconds_left(const kept_message& message, protocol::time_point now) noexcept {
  if (message.expires() == protocol::never) return std::nullopt;
  const auto left = std::chrono::ceil<std::chrono::seconds>(message.expires() - now).count();
  return static_cast<std::uint32_t>(std::max<std::int64_t>(left, 1));
}

} // namespace troupe::brokerage
