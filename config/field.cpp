#include "field.hpp"

#include <algorithm>
#include <charconv>
#include <utility>

namespace troupe::config {

namespace {

std::string in_quotes(std::string_view text) {
  std::string result = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    result += c;
  }
  return result + '"';
}

std::string instead_of(std::string wanted, std::string_view text) {
  return "wants " + std::move(wanted) + ", not '" + std::string(text) + "'";
}

template <class Number>
std::optional<Number> number_from(std::string_view text) noexcept {
  Number value{};
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::string range(const field& what, std::string_view kind, const std::string& least,
                  const std::string& most) {
  std::string text = std::string(kind) + " of at least " + least;
  if (what.most != field{}.most) text = std::string(kind) + " from " + least + " to " + most;
  return text;
}

// One overload per type of place: sets it and answers nothing, or answers what is wanted instead.
struct assigner {
  const field& what;
  std::string_view text;

  using answer = std::optional<std::string>;

  answer operator()(bool* place) const {
    if (text != "true" && text != "false") return "true or false";
    *place = text == "true";
    return {};
  }
  answer operator()(std::uint16_t* place) const { return whole(place); }
  answer operator()(std::uint32_t* place) const { return whole(place); }
  answer operator()(std::string* place) const {
    if (!what.choices.empty() && std::ranges::find(what.choices, text) == what.choices.end()) {
      std::string all;
      for (const std::string& each : what.choices) all += (all.empty() ? "" : " | ") + each;
      return all;
    }
    *place = text;
    return {};
  }
  answer operator()(byte_count* place) const {
    auto value = parse_bytes(text);
    if (!value || value->value < what.least || value->value > what.most)
      return range(what, "a size", print({what.least}), print({what.most})) + " (like 64KiB)";
    *place = *value;
    return {};
  }
  answer operator()(std::chrono::milliseconds* place) const {
    auto value = parse_duration(text);
    auto count = value ? static_cast<std::uint64_t>(value->count()) : 0;
    if (!value || count < what.least || count > what.most)
      return range(what, "a duration", print_time(what.least), print_time(what.most)) + " (like 30s)";
    *place = *value;
    return {};
  }
  answer operator()(std::vector<std::string>*) const { return {}; } // handled in assign

  static std::string print(byte_count size) { return config::print(size); }
  static std::string print_time(std::uint64_t count) {
    return config::print(std::chrono::milliseconds{static_cast<std::int64_t>(count)});
  }

  template <class Whole>
  answer whole(Whole* place) const {
    std::uint64_t most = std::min<std::uint64_t>(what.most, std::numeric_limits<Whole>::max());
    auto value = number_from<std::uint64_t>(text);
    if (!value || *value < what.least || *value > most)
      return "a number from " + std::to_string(what.least) + " to " + std::to_string(most);
    *place = static_cast<Whole>(*value);
    return {};
  }
};

struct printer {
  std::string operator()(const bool* place) const { return *place ? "true" : "false"; }
  std::string operator()(const std::uint16_t* place) const { return std::to_string(*place); }
  std::string operator()(const std::uint32_t* place) const { return std::to_string(*place); }
  std::string operator()(const std::string* place) const { return in_quotes(*place); }
  std::string operator()(const byte_count* place) const { return in_quotes(config::print(*place)); }
  std::string operator()(const std::chrono::milliseconds* place) const {
    return in_quotes(config::print(*place));
  }
  std::string operator()(const std::vector<std::string>* place) const {
    std::string all;
    for (const std::string& each : *place) all += (all.empty() ? "" : ", ") + in_quotes(each);
    return '[' + all + ']';
  }
};

} // namespace

bool field::is_text() const noexcept { return std::holds_alternative<std::string*>(where) || is_quantity(); }

bool field::is_quantity() const noexcept {
  return std::holds_alternative<byte_count*>(where)
         || std::holds_alternative<std::chrono::milliseconds*>(where);
}

std::optional<std::string> field::assign(std::span<const std::string> texts) const {
  if (is_list()) {
    std::get<std::vector<std::string>*>(where)->assign(texts.begin(), texts.end());
    return {};
  }
  if (texts.size() != 1) return "wants one value, not " + std::to_string(texts.size());
  auto wanted = std::visit(assigner{*this, texts[0]}, where);
  if (!wanted) return {};
  return instead_of(std::move(*wanted), texts[0]);
}

std::string field::print() const { return std::visit(printer{}, where); }

void append(std::vector<field>& outer, std::string_view prefix, std::vector<field> inner) {
  for (field& each : inner) {
    each.key.insert(0, prefix);
    outer.push_back(std::move(each));
  }
}

} // namespace troupe::config
