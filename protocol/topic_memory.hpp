// topic_memory: the topic of the publish before, since bursts stay with one topic.
//
// Lives here: topic_memory.
// Holds:   a topic that was found right, as a view. It must be forgotten before its octets go. A topic
//          that is the same again is given the first one's place: whoever comes later sees by the address
//          alone that nothing has changed.
// Threads: belongs to whoever reads one stream.
// Costs:   16 octets a step; half of what judging a topic costs.
#pragma once

#include "slice.hpp"

#include <cstdint>
#include <cstring>
#include <string_view>
#if defined(__SSE2__)
#include <immintrin.h>
#endif

namespace troupe::protocol {

namespace detail {

#if defined(__SSE2__)

inline __m128i equal_mask(const octet* a, const octet* b) noexcept {
  return _mm_cmpeq_epi8(_mm_loadu_si128(reinterpret_cast<const __m128i*>(a)),
                        _mm_loadu_si128(reinterpret_cast<const __m128i*>(b)));
}

/// Whether `count` octets, one at least, are the same; read_slack octets after both must be readable.
/// Topics that differ are rare here: nothing is gained by leaving early.
inline bool equal_padded(const octet* a, const octet* b, std::size_t count) noexcept {
  if (count < 16) {
    const unsigned meant = (1U << count) - 1;
    return (~static_cast<unsigned>(_mm_movemask_epi8(equal_mask(a, b))) & meant) == 0;
  }
  __m128i same = equal_mask(a + count - 16, b + count - 16);
  for (std::size_t at = 0; at + 16 < count; at += 16) same = _mm_and_si128(same, equal_mask(a + at, b + at));
  return _mm_movemask_epi8(same) == 0xFFFF;
}

#else

inline bool equal_padded(const octet* a, const octet* b, std::size_t count) noexcept {
  return std::memcmp(a, b, count) == 0;
}

#endif

} // namespace detail

class topic_memory {
public:
  /// Whether `topic`, which has read_slack readable octets behind it, is the one before.
  bool knows(octets topic) const noexcept {
    return topic.size() == last_.size() && !topic.empty()
           && detail::equal_padded(topic.data(), last_.data(), topic.size());
  }
  /// The same for a topic that has nothing readable behind it.
  bool knows_exact(std::string_view topic) const noexcept {
    if (topic.size() != last_.size() || topic.empty()) return false;
    const auto* const octets_of_it = reinterpret_cast<const octet*>(topic.data());
    return topic.size() < 16 ? std::memcmp(octets_of_it, last_.data(), topic.size()) == 0
                             : detail::equal_padded(octets_of_it, last_.data(), topic.size());
  }
  std::string_view last() const noexcept { return as_text(last_); }
  /// `topic` was judged, and has read_slack readable octets behind it.
  void remember(octets topic) noexcept { last_ = topic; }
  void forget() noexcept { last_ = {}; }

private:
  octets last_{};
};

} // namespace troupe::protocol
