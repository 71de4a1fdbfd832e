// typed: publishing and handling values instead of octets, through the user's own serializer.
//
// Lives here: serializer (what one must offer), publish_value, subscribe_to.
// Holds:   a serializer is any object with
//            content_type()                 the MIME type that goes along (5.0), or empty
//            write(value, std::string& to)  appends the value's octets
//            read(std::string_view, T& to)  false when they are no such value
//          A message that cannot be read is no call of the handler but a failure of it: counted, and with
//          ack_policy::handled refused.
// Costs:   those of the serializer, and one string.
#pragma once

#include "client.hpp"

#include <concepts>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

namespace troupe {

template <class S, class T>
concept serializer = requires(const S& s, const T& from, T& to, std::string& octets, std::string_view read) {
  { s.content_type() } -> std::convertible_to<std::string_view>;
  s.write(from, octets);
  { s.read(read, to) } -> std::convertible_to<bool>;
};

/// A message said to be of a type, and is none.
class unreadable_message : public std::runtime_error {
public:
  unreadable_message() : std::runtime_error{"the payload is no value of the expected type"} {}
};

template <class T, serializer<T> Serializer>
pending<outcome> publish_value(client& whose, std::string_view topic, const T& value, const Serializer& with,
                               qos quality = qos::at_most_once, publish_options options = {}) {
  std::string octets;
  with.write(value, octets);
  const std::string_view type = with.content_type();
  if (type.empty()) return whose.publish(topic, octets, quality, options);
  protocol::property_block properties{options.properties};
  if (!properties.set(protocol::property::content_type, type))
    return whose.publish(topic, octets, quality, options);
  options.properties = properties.view();
  return whose.publish(topic, octets, quality, options);
}

/// `handler(const message&, const T&)` with every value; T must be named.
template <class T, serializer<T> Serializer, class Handler>
subscription subscribe_to(client& whose, std::string_view filter, qos maximum, Serializer with,
                          Handler handler, subscribe_options options = {}) {
  auto called = [with = std::move(with), handler = std::move(handler)](const message& m) mutable {
    T value{};
    if (!with.read(m.text(), value)) throw unreadable_message{};
    handler(m, std::as_const(value));
  };
  return whose.subscribe(filter, maximum, std::move(called), std::move(options));
}

} // namespace troupe
