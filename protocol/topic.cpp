#include "topic.hpp"

#include "slice.hpp"
#include "utf8.hpp"

#include <bit>
#include <cstring>
#if defined(__SSE2__)
#include <immintrin.h>
#endif

namespace troupe::protocol {

namespace {

constexpr std::size_t longest = 65'535; // [MQTT-4.7.3-3]
constexpr std::string_view share_prefix = "$share/";

bool is_wildcard(char c) noexcept { return c == '+' || c == '#'; }

/// The first `+` or `#` at or after `from`, or the size; sixteen characters a step.
std::size_t find_wildcard(std::string_view text, std::size_t from) noexcept {
#if defined(__SSE2__)
  for (; text.size() - from >= 16; from += 16) {
    const __m128i block = _mm_loadu_si128(reinterpret_cast<const __m128i*>(text.data() + from));
    // `+` and `#` differ in bit 3 only.
    const __m128i found = _mm_cmpeq_epi8(_mm_or_si128(block, _mm_set1_epi8(8)), _mm_set1_epi8('+'));
    const auto mask = static_cast<unsigned>(_mm_movemask_epi8(found));
    if (mask != 0) return from + static_cast<std::size_t>(std::countr_zero(mask));
  }
#endif
  while (from != text.size() && !is_wildcard(text[from])) ++from;
  return from;
}

/// `+` and `#` alone in their level, `#` only in the last one [MQTT-4.7.1-1] [MQTT-4.7.1-2].
bool wildcards_stand_right(std::string_view filter) noexcept {
  for (auto at = find_wildcard(filter, 0); at != filter.size(); at = find_wildcard(filter, at + 1)) {
    const bool starts_level = at == 0 || filter[at - 1] == '/';
    const bool ends_filter = at + 1 == filter.size();
    const bool ends_level = ends_filter || filter[at + 1] == '/';
    if (!starts_level || !ends_level || (filter[at] == '#' && !ends_filter)) return false;
  }
  return true;
}

/// Where the level that begins at `at` ends: its `/`, or the end.
const char* level_end(const char* at, const char* end) noexcept {
  const auto left = static_cast<std::size_t>(end - at);
  const void* slash = left == 0 ? nullptr : std::memchr(at, '/', left);
  return slash != nullptr ? static_cast<const char*>(slash) : end;
}

} // namespace

result<void> check_topic_name(std::string_view name) noexcept {
  if (name.empty() || name.size() > longest // [MQTT-4.7.3-1] [MQTT-4.7.3-3]
      || find_topic_fault_exact(as_octets(name)) != text_fault::none)
    return errc::invalid_topic_name;
  return {};
}

result<void> check_topic_filter(std::string_view filter) noexcept {
  if (filter.empty() || filter.size() > longest || !is_text_exact(as_octets(filter))
      || !wildcards_stand_right(filter))
    return errc::invalid_topic_filter;
  if (!is_shared(filter)) return {};
  const shared_filter parts = split_shared(filter);
  const bool named = !parts.share.empty() // [MQTT-4.8.2-1]
                     && !has_wildcard(parts.share);
  if (!named || parts.filter.empty()) // [MQTT-4.8.2-2]
    return errc::invalid_share_name;
  return {};
}

bool is_shared(std::string_view filter) noexcept { return filter.starts_with(share_prefix); }

shared_filter split_shared(std::string_view filter) noexcept {
  if (!is_shared(filter)) return {{}, filter};
  const std::string_view rest = filter.substr(share_prefix.size());
  const auto slash = rest.find('/');
  if (slash == std::string_view::npos) return {rest, {}};
  return {rest.substr(0, slash), rest.substr(slash + 1)};
}

bool matches(std::string_view filter, std::string_view name) noexcept {
  if (!filter.empty() && is_wildcard(filter[0]) && !name.empty() && name[0] == '$')
    return false; // [MQTT-4.7.2-1]
  const char* f = filter.data();
  const char* const f_end = f + filter.size();
  const char* n = name.data();
  const char* const n_end = n + name.size();
  while (true) {
    if (f != f_end && *f == '#') return true;
    const char* const f_level = level_end(f, f_end);
    const char* const n_level = level_end(n, n_end);
    const bool any = f_level - f == 1 && *f == '+';
    const auto size = static_cast<std::size_t>(f_level - f);
    if (!any && (f_level - f != n_level - n || (size != 0 && std::memcmp(f, n, size) != 0))) return false;
    if (f_level == f_end) return n_level == n_end;
    if (n_level == n_end) // `sport/#` matches `sport` too [MQTT-4.7.1-2]
      return f_end - f_level == 2 && f_level[1] == '#';
    f = f_level + 1;
    n = n_level + 1;
  }
}

bool has_wildcard(std::string_view filter) noexcept { return find_wildcard(filter, 0) != filter.size(); }

} // namespace troupe::protocol
