// topic_memory: the topic of the publish before, since bursts stay with one topic.
//
// Lives here: topic_memory.
// Holds:   a topic that was found right, as a view. It must be forgotten before its octets go. A topic
//          that is the same again is given the first one's place: whoever comes later sees by the address
//          alone that nothing has changed.
// Threads: belongs to whoever reads one stream.
// Costs:   32 octets a step; half of what judging a topic costs.
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

/// Bit n set when octet n of both is the same, 32 of them.
inline std::uint32_t equal_mask_32(const octet* a, const octet* b) noexcept {
  const auto* left = reinterpret_cast<const __m128i*>(a);
  const auto* right = reinterpret_cast<const __m128i*>(b);
  const __m128i low = _mm_cmpeq_epi8(_mm_loadu_si128(left), _mm_loadu_si128(right));
  const __m128i high = _mm_cmpeq_epi8(_mm_loadu_si128(left + 1), _mm_loadu_si128(right + 1));
  return static_cast<std::uint32_t>(_mm_movemask_epi8(low))
         | (static_cast<std::uint32_t>(_mm_movemask_epi8(high)) << 16U);
}

/// Whether `count` octets, one at least, are the same; read_slack octets after both must be readable.
inline bool equal_padded(const octet* a, const octet* b, std::size_t count) noexcept {
  for (; count > 32; a += 32, b += 32, count -= 32)
    if (equal_mask_32(a, b) != 0xFFFF'FFFFU) return false;
  const std::uint32_t meant = 0xFFFF'FFFFU >> (32U - static_cast<unsigned>(count));
  return (~equal_mask_32(a, b) & meant) == 0;
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
  std::string_view last() const noexcept { return as_text(last_); }
  /// `topic` was judged, and has read_slack readable octets behind it.
  void remember(octets topic) noexcept { last_ = topic; }
  void forget() noexcept { last_ = {}; }

private:
  octets last_{};
};

} // namespace troupe::protocol
