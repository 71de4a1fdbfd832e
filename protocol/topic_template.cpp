#include "topic_template.hpp"

#include <algorithm>
#include <charconv>

namespace troupe::protocol {

namespace {

template <class Number>
bool is_number(std::string_view value) noexcept {
  Number parsed{};
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), parsed);
  return error == std::errc{} && end == value.data() + value.size() && !value.empty();
}

bool is_hexadecimal(char c) noexcept {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

bool is_guid(std::string_view value) noexcept {
  if (value.size() != 36) return false;
  for (std::size_t i = 0; i < value.size(); ++i) {
    const bool dash = i == 8 || i == 13 || i == 18 || i == 23;
    if (dash ? value[i] != '-' : !is_hexadecimal(value[i])) return false;
  }
  return true;
}

bool is_name(std::string_view text) noexcept {
  const auto fits = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
  };
  return !text.empty() && std::ranges::all_of(text, fits);
}

} // namespace

bool topic_template::is_of(kind type, std::string_view value) noexcept {
  switch (type) {
  case kind::text: return true;
  case kind::int_32: return is_number<std::int32_t>(value);
  case kind::int_64: return is_number<std::int64_t>(value);
  case kind::boolean: return value == "true" || value == "false";
  case kind::guid: return is_guid(value);
  }
  return false;
}

/// One name with its type, without the braces.
result<void> topic_template::add(std::string_view inside) {
  const auto colon = inside.find(':');
  const std::string_view name = inside.substr(0, colon);
  kind type = kind::text;
  if (colon != std::string_view::npos) {
    const std::string_view said = inside.substr(colon + 1);
    if (said == "int")
      type = kind::int_32;
    else if (said == "long")
      type = kind::int_64;
    else if (said == "bool")
      type = kind::boolean;
    else if (said == "guid")
      type = kind::guid;
    else
      return errc::invalid_argument;
  }
  if (!is_name(name) || position(name) != captures()) return errc::invalid_argument;
  places_.push_back({std::string{name}, type});
  typed_ |= type != kind::text;
  return {};
}

/// What stands for `level` in the filter.
result<std::string_view> topic_template::take_level(std::string_view level, bool last) {
  if (level.find_first_of("+#") != std::string_view::npos) return errc::invalid_argument;
  if (level.find_first_of("{}") == std::string_view::npos) return level;
  if (level.size() < 3 || level.front() != '{' || level.back() != '}') return errc::invalid_argument;
  std::string_view inside = level.substr(1, level.size() - 2);
  open_ = inside.front() == '*';
  if (open_) inside.remove_prefix(1);
  const bool typed = inside.find(':') != std::string_view::npos;
  if (open_ && (!last || typed)) return errc::invalid_argument;
  if (const auto added = add(inside); !added) return added.error();
  return std::string_view{open_ ? "#" : "+"};
}

result<topic_template> topic_template::make(std::string_view text) {
  topic_template made;
  std::string filter;
  for (std::size_t from = 0;;) {
    const auto slash = std::min(text.find('/', from), text.size());
    const bool last = slash == text.size();
    const auto level = made.take_level(text.substr(from, slash - from), last);
    if (!level) return level.error();
    filter += *level;
    if (last) break;
    filter += '/';
    from = slash + 1;
  }
  auto compiled = compiled_filter::make(filter);
  if (!compiled) return compiled.error();
  made.filter_ = *std::move(compiled);
  return made;
}

std::size_t topic_template::position(std::string_view name) const noexcept {
  const auto found = std::ranges::find(places_, name, &place::name);
  return static_cast<std::size_t>(found - places_.begin());
}

bool topic_template::match(std::string_view topic, std::span<std::string_view> values) const noexcept {
  if (!filter_.matches(topic, values)) return false;
  if (open_) values[captures() - 1] = filter_.tail(topic, values);
  if (!typed_) return true;
  for (std::size_t i = 0; i < places_.size(); ++i)
    if (places_[i].type != kind::text && !is_of(places_[i].type, values[i])) return false;
  return true;
}

} // namespace troupe::protocol
