// unsubscribe: UNSUBSCRIBE and UNSUBACK, MQTT 5.0 and 3.1.1 sections 3.10 and 3.11.
//
// Lives here: filter_list (validated texts, iterated without allocation), the two packets, decode and
//          encode for both versions.
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

/// The filters of a decoded UNSUBSCRIBE. Only the decoder makes one that is not empty.
class filter_list {
public:
  class iterator {
  public:
    using value_type = std::string_view;
    using difference_type = std::ptrdiff_t;
    using iterator_category = std::input_iterator_tag;
    iterator() noexcept = default;
    explicit iterator(const octet* at) noexcept : at_{at} {}
    std::string_view operator*() const noexcept;
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

  filter_list() noexcept = default;
  filter_list(octets raw, std::size_t count) noexcept : raw_{raw}, count_{count} {}
  std::size_t size() const noexcept { return count_; }
  bool empty() const noexcept { return count_ == 0; }
  iterator begin() const noexcept { return iterator{raw_.data()}; }
  iterator end() const noexcept { return iterator{raw_.data() + raw_.size()}; }

private:
  octets raw_{};
  std::size_t count_ = 0;
};

struct unsubscribe {
  packet_id id = 0;
  properties_view properties{};
  filter_list filters{};
};

/// `codes` has one entry per filter in 5.0 and is empty in 3.1.1.
struct unsuback {
  packet_id id = 0;
  properties_view properties{};
  std::span<const reason_code> codes{};
};

/// read_slack octets after `body` must be readable.
result<unsubscribe> decode_unsubscribe(octet first, octets body, version v) noexcept;
result<void> encode_unsubscribe(outbox& out, packet_id id, std::span<const std::string_view> filters,
                                properties_view properties, version v);
std::size_t encoded_unsubscribe_size(std::span<const std::string_view> filters, properties_view properties,
                                     version v) noexcept;

result<unsuback> decode_unsuback(octet first, octets body, version v) noexcept;
/// In 3.1.1 the codes are left out, as that version says.
result<void> encode_unsuback(outbox& out, const unsuback& packet, version v);
std::size_t encoded_size(const unsuback& packet, version v) noexcept;

} // namespace troupe::protocol
