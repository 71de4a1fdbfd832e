// payload_view: what may be handed over as a payload: text or octets, by view.
//
// Lives here: payload_view, publication.
// Holds:   a view; what it refers to must live until the call that takes it returns (for a lazy
//          completion token: until the operation is started).
// Costs:   nothing.
#pragma once

#include "client_options.hpp"

#include "../protocol/slice.hpp"

#include <concepts>
#include <cstddef>
#include <span>
#include <string_view>

namespace troupe {

class payload_view {
public:
  constexpr payload_view() noexcept = default;
  /// Text: literals, std::string, std::string_view.
  template <class Text>
    requires std::convertible_to<const Text&, std::string_view> payload_view(const Text& text)
  noexcept : octets_{protocol::as_octets(static_cast<std::string_view>(text))} {}
  /// Octets: spans, vectors and arrays of std::uint8_t or std::byte.
  template <class Octets>
    requires(!std::convertible_to<
                 const Octets&,
                 std::string_view> && std::convertible_to<const Octets&, std::span<const std::uint8_t>>)
  payload_view(const Octets& bytes)
  noexcept : octets_{std::span<const std::uint8_t>{bytes}} {}
  template <class Bytes>
    requires(
        !std::convertible_to<
            const Bytes&, std::string_view> && std::convertible_to<const Bytes&, std::span<const std::byte>>)
  payload_view(const Bytes& bytes)
  noexcept {
    const std::span<const std::byte> view{bytes};
    octets_ = {reinterpret_cast<const std::uint8_t*>(view.data()), view.size()};
  }

  protocol::octets bytes() const noexcept { return octets_; }
  std::size_t size() const noexcept { return octets_.size(); }

private:
  protocol::octets octets_{};
};

/// One of several messages published at once.
struct publication {
  std::string_view topic{};
  payload_view payload{};
  qos quality = qos::at_most_once;
  publish_options options{};
};

} // namespace troupe
