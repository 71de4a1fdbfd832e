// subscribe: SUBSCRIBE and SUBACK, MQTT 5.0 and 3.1.1 sections 3.8 and 3.9.
//
// Lives here: subscription (one line of a SUBSCRIBE), subscription_list (validated lines, iterated
//          without allocation), the two packets, decode and encode for both versions.
// Holds:   a decoded packet is a view into the received bytes; it dies with them.
// Errors:  decode answers errc values only; encode refuses before the first octet.
// Costs:   no allocation.
#pragma once

#include "errc.hpp"
#include "outbox.hpp"
#include "properties.hpp"
#include "reason_code.hpp"
#include "result.hpp"
#include "slice.hpp"
#include "vocabulary.hpp"

#include <iterator>
#include <span>
#include <string_view>

namespace troupe::protocol {

/// When retained messages are sent for a subscription, section 3.8.3.1.
enum class retain_handling : std::uint8_t { send = 0, send_if_new = 1, do_not_send = 2 };

struct subscription {
  std::string_view filter{};
  qos quality = qos::at_most_once;
  bool no_local = false;                            // 5.0
  bool retain_as_published = false;                 // 5.0
  retain_handling handling = retain_handling::send; // 5.0
};

/// The lines of a decoded SUBSCRIBE. Only the decoder makes one that is not empty.
class subscription_list {
public:
  class iterator {
  public:
    using value_type = subscription;
    using difference_type = std::ptrdiff_t;
    using iterator_category = std::input_iterator_tag;
    iterator() noexcept = default;
    explicit iterator(const octet* at) noexcept : at_{at} {}
    subscription operator*() const noexcept;
    iterator& operator++() noexcept;
    iterator operator++(int) noexcept {
      iterator before = *this;
      ++*this;
      return before;
    }
    bool operator==(const iterator&) const noexcept = default;

  private:
    const octet* at_ = nullptr;
  };

  subscription_list() noexcept = default;
  subscription_list(octets raw, std::size_t count) noexcept : raw_{raw}, count_{count} {}
  std::size_t size() const noexcept { return count_; }
  bool empty() const noexcept { return count_ == 0; }
  iterator begin() const noexcept { return iterator{raw_.data()}; }
  iterator end() const noexcept { return iterator{raw_.data() + raw_.size()}; }

private:
  octets raw_{};
  std::size_t count_ = 0;
};

struct subscribe {
  packet_id id = 0;
  properties_view properties{};
  subscription_list filters{};
};

/// `codes` has one entry per filter of the SUBSCRIBE, in its order.
struct suback {
  packet_id id = 0;
  properties_view properties{};
  std::span<const reason_code> codes{};
};

/// read_slack octets after `body` must be readable.
result<subscribe> decode_subscribe(octet first, octets body, version v) noexcept;
result<void> encode_subscribe(outbox& out, packet_id id, std::span<const subscription> filters,
                              properties_view properties, version v);
std::size_t encoded_subscribe_size(std::span<const subscription> filters, properties_view properties,
                                   version v) noexcept;

result<suback> decode_suback(octet first, octets body, version v) noexcept;
/// In 3.1.1 every failure is written as 0x80.
result<void> encode_suback(outbox& out, const suback& packet, version v);
std::size_t encoded_size(const suback& packet, version v) noexcept;

} // namespace troupe::protocol
