// trace_context: the W3C trace context in user properties of a message.
//
// Lives here: trace_context, inject, extract.
// Holds:   `traceparent` and `tracestate`, as other tools write them (5.0 alone has user properties).
// Errors:  what is no traceparent of version 00 is no context.
// Costs:   a walk over the user properties of one message.
#pragma once

#include "message.hpp"

#include "../protocol/properties.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>

namespace troupe {

struct trace_context {
  std::string parent{}; // 00-<32 hexadecimal digits>-<16>-<2>
  std::string state{};

  std::string_view trace_id() const noexcept { return std::string_view{parent}.substr(3, 32); }
  std::string_view span_id() const noexcept { return std::string_view{parent}.substr(36, 16); }
  bool is_sampled() const noexcept { return (parent.back() & 1) != 0; }
};

constexpr bool is_traceparent(std::string_view text) noexcept {
  if (text.size() != 55 || text.substr(0, 3) != "00-" || text[35] != '-' || text[52] != '-') return false;
  const auto is_hex = [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); };
  const auto is_zero = [](char c) { return c == '0'; };
  const auto trace = text.substr(3, 32);
  const auto span = text.substr(36, 16);
  const auto flags = text.substr(53);
  return std::all_of(trace.begin(), trace.end(), is_hex) && std::all_of(span.begin(), span.end(), is_hex)
         && std::all_of(flags.begin(), flags.end(), is_hex)
         && !std::all_of(trace.begin(), trace.end(), is_zero)
         && !std::all_of(span.begin(), span.end(), is_zero);
}

/// False, and nothing is added, when the context is none.
inline bool inject(const trace_context& context, protocol::property_block& into) {
  if (!is_traceparent(context.parent)) return false;
  if (!into.add_user_property("traceparent", context.parent)) return false;
  return context.state.empty() || into.add_user_property("tracestate", context.state).has_value();
}

inline std::optional<trace_context> extract(protocol::properties_view from) {
  trace_context found;
  from.for_each_user_property([&](const protocol::user_property& each) {
    if (each.name == "traceparent" && is_traceparent(each.value)) found.parent = each.value;
    if (each.name == "tracestate") found.state = each.value;
  });
  if (found.parent.empty()) return std::nullopt;
  return found;
}

inline std::optional<trace_context> extract(const message& from) { return extract(from.properties()); }

} // namespace troupe
