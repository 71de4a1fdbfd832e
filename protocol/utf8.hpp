// utf8: which text MQTT allows, sections 1.5.4 and 4.7.
//
// Lives here: the check of UTF-8 strings and of topic names: well-formed UTF-8, no surrogates, nothing
//          overlong, nothing above U+10FFFF [MQTT-1.5.4-1], no U+0000 [MQTT-1.5.4-2]; for topic names
//          also no `+` and `#` [MQTT-4.7.1-1].
// Holds:   control characters and non-characters are let through and a byte order mark is kept
//          [MQTT-1.5.4-3]: the specification leaves the first two to the receiver, and refusing
//          them loses messages of others for no gain.
// Units:   octets; the length limit of 65,535 is that of the two length octets, not looked at here.
// Costs:   no allocation. ASCII goes at 16 or 32 octets a step inline; the first other octet leads to
//          a table validator (AVX2, SSSE3, chosen at run time) or, for short texts, a plain loop.
#pragma once

#include "slice.hpp"

#if defined(__SSE2__)
#include <immintrin.h>
#endif
#include <cstdint>
#include <cstring>

namespace troupe::protocol {

enum class text_fault : std::uint8_t {
  none,
  malformed, // not UTF-8, or U+0000 inside
  wildcard,  // `+` or `#` in a topic name
};

/// What is wrong with `text`. read_slack octets after it must be readable.
text_fault find_text_fault(octets text) noexcept;
/// The same for a topic name; its length is not judged.
text_fault find_topic_fault(octets text) noexcept;
/// The same two without a need for slack.
text_fault find_text_fault_exact(octets text) noexcept;
text_fault find_topic_fault_exact(octets text) noexcept;

inline bool is_text_exact(octets text) noexcept { return find_text_fault_exact(text) == text_fault::none; }

namespace detail {

/// Judges text from its first octet that is not plain ASCII (or is a wildcard) on; `text` starts at a
/// code point. Reads nothing outside. Which validator is taken is decided once per process.
text_fault judge_text(octets text, bool refuse_wildcards) noexcept;

/// The validators one by one, for tests and measurements; the wide ones answer for texts of any
/// length. `has_...` says whether this machine can run them.
text_fault judge_text_scalar(octets text, bool refuse_wildcards) noexcept;
bool has_ssse3() noexcept;
text_fault judge_text_ssse3(octets text, bool refuse_wildcards) noexcept;
bool has_avx2() noexcept;
text_fault judge_text_avx2(octets text, bool refuse_wildcards) noexcept;

#if defined(__SSE2__)

/// Bit n set when octet n is one of 1..127 and, with Wildcards, neither `+` nor `#`. One signed
/// compare refuses U+0000 and everything above ASCII; `+` and `#` differ in bit 3 only.
template <bool Wildcards>
inline std::uint32_t plain_mask(__m128i block) noexcept {
  __m128i plain = _mm_cmpgt_epi8(block, _mm_setzero_si128());
  if constexpr (Wildcards) {
    const __m128i folded = _mm_or_si128(block, _mm_set1_epi8(8));
    plain = _mm_andnot_si128(_mm_cmpeq_epi8(folded, _mm_set1_epi8('+')), plain);
  }
  return static_cast<std::uint32_t>(_mm_movemask_epi8(plain));
}

template <bool Wildcards>
inline std::uint32_t plain_mask_32(const octet* at) noexcept {
  const auto* from = reinterpret_cast<const __m128i*>(at);
  return plain_mask<Wildcards>(_mm_loadu_si128(from))
         | (plain_mask<Wildcards>(_mm_loadu_si128(from + 1)) << 16U);
}

template <bool Wildcards>
inline text_fault find_fault_padded(octets text) noexcept {
  const octet* at = text.data();
  std::size_t left = text.size();
  for (; left > 32; at += 32, left -= 32)
    if (plain_mask_32<Wildcards>(at) != 0xFFFF'FFFFU) return judge_text({at, left}, Wildcards);
  if (left == 0) return text_fault::none;
  const std::uint32_t meant = 0xFFFF'FFFFU >> (32U - static_cast<unsigned>(left));
  if ((~plain_mask_32<Wildcards>(at) & meant) != 0) return judge_text({at, left}, Wildcards);
  return text_fault::none;
}

/// 4..15 octets in a register, some of them twice, none from outside.
inline __m128i load_short(const octet* at, std::size_t count) noexcept {
  if (count >= 8)
    return _mm_unpacklo_epi64(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(at)),
                              _mm_loadl_epi64(reinterpret_cast<const __m128i*>(at + count - 8)));
  std::uint32_t low = 0;
  std::uint32_t high = 0;
  std::memcpy(&low, at, 4);
  std::memcpy(&high, at + count - 4, 4);
  return _mm_set1_epi64x(static_cast<long long>(low | (std::uint64_t{high} << 32U)));
}

/// Up to 3 octets, for which the way into a register would take longer than a look at each.
template <bool Wildcards>
inline bool are_plain(const octet* at, std::size_t count) noexcept {
  for (const octet* const end = at + count; at != end; ++at)
    if (*at - 1U >= 0x7FU || (Wildcards && (*at | 8U) == '+')) return false;
  return true;
}

template <bool Wildcards>
inline text_fault find_fault_exact(octets text) noexcept {
  const octet* at = text.data();
  std::size_t left = text.size();
  if (left < 16) {
    const bool plain =
        left < 4 ? are_plain<Wildcards>(at, left) : plain_mask<Wildcards>(load_short(at, left)) == 0xFFFFU;
    return plain ? text_fault::none : judge_text(text, Wildcards);
  }
  for (; left >= 16; at += 16, left -= 16)
    if (plain_mask<Wildcards>(_mm_loadu_si128(reinterpret_cast<const __m128i*>(at))) != 0xFFFFU)
      return judge_text({at, left}, Wildcards);
  if (left == 0) return text_fault::none;
  const auto* last = reinterpret_cast<const __m128i*>(at + left - 16);
  if (plain_mask<Wildcards>(_mm_loadu_si128(last)) != 0xFFFFU) return judge_text({at, left}, Wildcards);
  return text_fault::none;
}

#else

template <bool Wildcards>
inline text_fault find_fault_padded(octets text) noexcept {
  return judge_text(text, Wildcards);
}
template <bool Wildcards>
inline text_fault find_fault_exact(octets text) noexcept {
  return judge_text(text, Wildcards);
}

#endif

} // namespace detail

inline text_fault find_text_fault(octets text) noexcept { return detail::find_fault_padded<false>(text); }
inline text_fault find_topic_fault(octets text) noexcept { return detail::find_fault_padded<true>(text); }
inline text_fault find_text_fault_exact(octets text) noexcept {
  return detail::find_fault_exact<false>(text);
}
inline text_fault find_topic_fault_exact(octets text) noexcept {
  return detail::find_fault_exact<true>(text);
}

} // namespace troupe::protocol
