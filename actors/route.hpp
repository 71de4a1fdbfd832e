// route: a subscription by a template whose captures have names and types.
//
// Lives here: captures (what a topic said), route (subscribes).
// Holds:   `plant/{line}/sensors/{id:int}/{*rest}` subscribes to `plant/+/sensors/+/#`; the handler is
//          called with those messages whose captures are of their types, the others are passed over.
// Threads: as client::subscribe.
// Errors:  what protocol::topic_template::make says of the template.
// Costs:   one matching per message, no allocation.
//
//     auto r = troupe::route(client, "plant/{line}/{id:int}", qos::at_least_once,
//                            [](const message& m, const captures& c) { use(c["line"], c.number("id")); });
#pragma once

#include "client.hpp"

#include "../protocol/topic_template.hpp"

#include <array>
#include <charconv>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

namespace troupe {

class captures {
public:
  static constexpr std::size_t most = 16;

  captures(const protocol::topic_template& form, std::span<const std::string_view> values) noexcept
      : form_{&form}, values_{values} {}

  std::size_t size() const noexcept { return form_->captures(); }
  /// The capture of this name; empty when the template has none.
  std::string_view operator[](std::string_view name) const noexcept {
    const std::size_t at = form_->position(name);
    return at < size() ? values_[at] : std::string_view{};
  }
  /// The same as a number; none: it is no whole number.
  std::optional<std::int64_t> number(std::string_view name) const noexcept {
    const std::string_view text = (*this)[name];
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
    return value;
  }

private:
  const protocol::topic_template* form_;
  std::span<const std::string_view> values_;
};

template <class Handler>
protocol::result<subscription> route(client& whose, std::string_view text, qos maximum, Handler handler,
                                     subscribe_options options = {}) {
  auto form = protocol::topic_template::make(text);
  if (!form) return form.error();
  if (form->captures() > captures::most) return make_error_code(protocol::errc::invalid_argument);
  // Shared, so that the filter is there while the template moves into the handler.
  auto shared = std::make_shared<const protocol::topic_template>(std::move(*form));
  auto called = [shared, handler = std::move(handler)](const message& m) mutable {
    std::array<std::string_view, captures::most> values;
    if (shared->match(m.topic(), values)) handler(m, captures{*shared, values});
  };
  return whose.subscribe(shared->filter(), maximum, std::move(called), std::move(options));
}

} // namespace troupe
