#include "compiled_filter.hpp"

#include "topic.hpp"

#include <bit>
#include <cstring>

namespace troupe::protocol {

namespace {

template <class Word>
Word load(const char* from) noexcept {
  Word word;
  std::memcpy(&word, from, sizeof word);
  return word;
}

/// Short runs are compared by two overlapping words instead of a call.
bool is_same(const char* a, const char* b, std::size_t size) noexcept {
  if (size > 16) return std::memcmp(a, b, size) == 0;
  if (size >= 8)
    return ((load<std::uint64_t>(a) ^ load<std::uint64_t>(b))
            | (load<std::uint64_t>(a + size - 8) ^ load<std::uint64_t>(b + size - 8)))
           == 0;
  if (size >= 4)
    return ((load<std::uint32_t>(a) ^ load<std::uint32_t>(b))
            | (load<std::uint32_t>(a + size - 4) ^ load<std::uint32_t>(b + size - 4)))
           == 0;
  for (std::size_t i = 0; i < size; ++i)
    if (a[i] != b[i]) return false;
  return true;
}

/// The next `/` at or after `at`, or `end`; eight characters a step: levels are short.
const char* level_end(const char* at, const char* end) noexcept {
  if constexpr (std::endian::native == std::endian::little) {
    constexpr std::uint64_t ones = 0x0101'0101'0101'0101ULL;
    for (; end - at >= 8; at += 8) {
      const std::uint64_t word = load<std::uint64_t>(at) ^ (ones * '/');
      const std::uint64_t zeros = (word - ones) & ~word & (ones << 7U);
      if (zeros != 0) // the lowest one is exact
        return at + std::countr_zero(zeros) / 8;
    }
  }
  while (at != end && *at != '/') ++at;
  return at;
}

} // namespace

result<compiled_filter> compiled_filter::make(std::string_view filter) {
  if (const auto checked = check_topic_filter(filter); !checked) return checked.error();
  compiled_filter made;
  made.text_ = split_shared(filter).filter;
  made.split();
  return made;
}

void compiled_filter::split() {
  std::string_view rest = text_;
  starts_with_wildcard_ = rest[0] == '+' || rest[0] == '#';
  open_ = rest.back() == '#';
  if (open_) rest.remove_suffix(rest.size() > 1 ? 2 : 1);
  const auto size_of = [](std::size_t size) { return static_cast<std::uint16_t>(size); };
  std::size_t from = 0;
  std::vector<run> all;
  const auto take = [&](std::size_t to) {
    const run here{size_of(from), size_of(to - from)};
    if (all.empty() && pluses_ < inline_runs)
      few_[pluses_] = here;
    else {
      if (all.empty()) all.assign(few_.begin(), few_.end());
      all.push_back(here);
    }
  };
  for (auto plus = rest.find('+'); plus != std::string_view::npos; plus = rest.find('+', from)) {
    take(plus);
    ++pluses_;
    from = plus + 1;
  }
  take(rest.size());
  more_ = std::move(all);
  if (pluses_ != 0)
    shape_ = shape::runs;
  else
    shape_ = open_ ? shape::prefix : shape::exact;
}

template <class OnLevel>
bool compiled_filter::walk(std::string_view name, OnLevel on_level) const noexcept {
  if (name.empty() || (starts_with_wildcard_ && name[0] == '$')) // [MQTT-4.7.2-1]
    return false;
  const char* const text = text_.data();
  const char* at = name.data();
  const char* const end = at + name.size();
  const run* const all = runs();
  for (std::size_t i = 0;; ++i) {
    const run here = all[i];
    if (end - at < here.size || !is_same(at, text + here.offset, here.size)) return false;
    at += here.size;
    if (i == pluses_) break;
    const char* const level = at;
    at = level_end(at, end);
    on_level(i, std::string_view{level, static_cast<std::size_t>(at - level)});
  }
  // Behind the runs `#` takes nothing or whole levels [MQTT-4.7.1-2].
  return at == end || (open_ && (*at == '/' || text_.size() == 1));
}

bool compiled_filter::matches(std::string_view name) const noexcept {
  switch (shape_) {
  case shape::nothing: return false;
  case shape::exact: return name.size() == text_.size() && is_same(name.data(), text_.data(), name.size());
  case shape::prefix:
  case shape::runs: break;
  }
  return walk(name, [](std::size_t, std::string_view) {});
}

bool compiled_filter::matches(std::string_view name, std::span<std::string_view> captures) const noexcept {
  if (shape_ == shape::nothing) return false;
  return walk(name, [captures](std::size_t index, std::string_view level) {
    if (index < captures.size()) captures[index] = level;
  });
}

std::string_view compiled_filter::tail(std::string_view name,
                                       std::span<const std::string_view> captures) const noexcept {
  if (!open_) return {};
  if (text_.size() == 1) return name;
  const run last = runs()[pluses_];
  std::size_t at = last.size;
  if (pluses_ != 0) {
    const std::string_view level = captures[pluses_ - 1U];
    at += static_cast<std::size_t>(level.data() - name.data()) + level.size();
  }
  return at < name.size() ? name.substr(at + 1) : std::string_view{};
}

} // namespace troupe::protocol
