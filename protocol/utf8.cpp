#include "utf8.hpp"

#include <algorithm>
#include <array>

namespace troupe::protocol::detail {

namespace {

bool is_continuation(octet byte) noexcept { return (byte & 0xC0U) == 0x80U; }

/// Octets of the code point that starts at `at` with a lead octet above ASCII; 0 = malformed.
std::size_t code_point_length(const octet* at, std::size_t left) noexcept {
  const octet lead = at[0];
  if (lead < 0xC2U || lead > 0xF4U) // continuation, overlong, above U+10FFFF
    return 0;
  const std::size_t length = lead < 0xE0U ? 2 : lead < 0xF0U ? 3 : 4;
  if (left < length || !is_continuation(at[1])) return 0;
  const bool overlong = (lead == 0xE0U && at[1] < 0xA0U) || (lead == 0xF0U && at[1] < 0x90U);
  const bool surrogate = lead == 0xEDU && at[1] >= 0xA0U;
  const bool too_large = lead == 0xF4U && at[1] >= 0x90U;
  if (overlong || surrogate || too_large) return 0;
  for (std::size_t i = 2; i < length; ++i)
    if (!is_continuation(at[i])) return 0;
  return length;
}

bool is_wildcard(octet byte) noexcept { return byte == '+' || byte == '#'; }

} // namespace

text_fault judge_text_scalar(octets text, bool refuse_wildcards) noexcept {
  const octet* at = text.data();
  const octet* const end = at + text.size();
  bool wildcard = false;
  while (at != end) {
    if (*at == 0) return text_fault::malformed;
    if (*at < 0x80U) {
      wildcard |= is_wildcard(*at);
      ++at;
      continue;
    }
    const std::size_t length = code_point_length(at, static_cast<std::size_t>(end - at));
    if (length == 0) return text_fault::malformed;
    at += length;
  }
  return wildcard && refuse_wildcards ? text_fault::wildcard : text_fault::none;
}

#if defined(__x86_64__)

// The table validator. Two neighbouring octets decide everything but whether a third or fourth octet
// is due: three nibbles (high and low of the earlier octet, high of the later one) each look up the
// set of faults they allow, and a fault is real when all three agree.
namespace {

constexpr octet too_short = 1U << 0U;         // lead, then no continuation
constexpr octet too_long = 1U << 1U;          // ASCII, then a continuation
constexpr octet overlong_3 = 1U << 2U;        // E0 80..9F
constexpr octet too_large = 1U << 3U;         // F4 90.. and above
constexpr octet surrogate = 1U << 4U;         // ED A0..BF
constexpr octet overlong_2 = 1U << 5U;        // C0, C1
constexpr octet overlong_4 = 1U << 6U;        // F0 80..8F, and F5.. 80..8F
constexpr octet two_continuations = 1U << 7U; // right only behind a longer lead

using nibble_table = std::array<octet, 16>;

constexpr nibble_table earlier_high = [] {
  nibble_table t{};
  for (unsigned n = 0; n < 16; ++n) t[n] = n < 8 ? too_long : n < 12 ? two_continuations : too_short;
  t[0xC] |= overlong_2;
  t[0xE] |= overlong_3 | surrogate;
  t[0xF] |= too_large | overlong_4;
  return t;
}();

constexpr nibble_table earlier_low = [] {
  nibble_table t{};
  for (unsigned n = 0; n < 16; ++n) {
    t[n] = too_short | too_long | two_continuations;
    if (n >= 4) t[n] |= too_large;
    if (n >= 5) t[n] |= overlong_4; // F5 and above have no right second octet at all
  }
  t[0x0] |= overlong_2 | overlong_3 | overlong_4;
  t[0x1] |= overlong_2;
  t[0xD] |= surrogate;
  return t;
}();

constexpr nibble_table later_high = [] {
  nibble_table t{};
  for (unsigned n = 0; n < 16; ++n)
    t[n] = n >= 8 && n < 12 ? too_long | overlong_2 | two_continuations : too_short;
  t[0x8] |= overlong_3 | overlong_4;
  t[0x9] |= overlong_3 | too_large;
  t[0xA] |= surrogate | too_large;
  t[0xB] |= surrogate | too_large;
  return t;
}();

/// What a validator found so far, as the two questions at its end.
text_fault verdict_of(bool malformed, bool wildcard) noexcept {
  if (malformed) return text_fault::malformed;
  return wildcard ? text_fault::wildcard : text_fault::none;
}

struct ssse3_state {
  __m128i previous = _mm_setzero_si128();
  __m128i fault = _mm_setzero_si128();
  __m128i wildcard = _mm_setzero_si128();
};

#define TROUPE_SSSE3 __attribute__((target("ssse3")))

TROUPE_SSSE3 inline __m128i look_up(const nibble_table& table, __m128i nibbles) noexcept {
  return _mm_shuffle_epi8(_mm_loadu_si128(reinterpret_cast<const __m128i*>(table.data())), nibbles);
}

TROUPE_SSSE3 inline void step(ssse3_state& s, __m128i block) noexcept {
  const __m128i low = _mm_set1_epi8(0x0F);
  const __m128i before_1 = _mm_alignr_epi8(block, s.previous, 15);
  const __m128i before_2 = _mm_alignr_epi8(block, s.previous, 14);
  const __m128i before_3 = _mm_alignr_epi8(block, s.previous, 13);
  const __m128i pair =
      _mm_and_si128(_mm_and_si128(look_up(earlier_high, _mm_and_si128(_mm_srli_epi16(before_1, 4), low)),
                                  look_up(earlier_low, _mm_and_si128(before_1, low))),
                    look_up(later_high, _mm_and_si128(_mm_srli_epi16(block, 4), low)));
  const __m128i due = _mm_or_si128(_mm_subs_epu8(before_2, _mm_set1_epi8(0xE0 - 0x80)),
                                   _mm_subs_epu8(before_3, _mm_set1_epi8(0xF0 - 0x80)));
  const __m128i due_bit = _mm_and_si128(due, _mm_set1_epi8(static_cast<char>(0x80)));
  s.fault = _mm_or_si128(s.fault, _mm_xor_si128(due_bit, pair));
  s.fault = _mm_or_si128(s.fault, _mm_cmpeq_epi8(block, _mm_setzero_si128()));
  s.wildcard =
      _mm_or_si128(s.wildcard, _mm_cmpeq_epi8(_mm_or_si128(block, _mm_set1_epi8(8)), _mm_set1_epi8('+')));
  s.previous = block;
}

struct avx2_state {
  __m256i previous;
  __m256i fault;
  __m256i wildcard;
};

#define TROUPE_AVX2 __attribute__((target("avx2")))

TROUPE_AVX2 inline __m256i look_up_wide(const nibble_table& table, __m256i nibbles) noexcept {
  const __m128i half = _mm_loadu_si128(reinterpret_cast<const __m128i*>(table.data()));
  return _mm256_shuffle_epi8(_mm256_broadcastsi128_si256(half), nibbles);
}

TROUPE_AVX2 inline void step(avx2_state& s, __m256i block) noexcept {
  const __m256i low = _mm256_set1_epi8(0x0F);
  const __m256i joint = _mm256_permute2x128_si256(s.previous, block, 0x21);
  const __m256i before_1 = _mm256_alignr_epi8(block, joint, 15);
  const __m256i before_2 = _mm256_alignr_epi8(block, joint, 14);
  const __m256i before_3 = _mm256_alignr_epi8(block, joint, 13);
  const __m256i pair = _mm256_and_si256(
      _mm256_and_si256(look_up_wide(earlier_high, _mm256_and_si256(_mm256_srli_epi16(before_1, 4), low)),
                       look_up_wide(earlier_low, _mm256_and_si256(before_1, low))),
      look_up_wide(later_high, _mm256_and_si256(_mm256_srli_epi16(block, 4), low)));
  const __m256i due = _mm256_or_si256(_mm256_subs_epu8(before_2, _mm256_set1_epi8(0xE0 - 0x80)),
                                      _mm256_subs_epu8(before_3, _mm256_set1_epi8(0xF0 - 0x80)));
  const __m256i due_bit = _mm256_and_si256(due, _mm256_set1_epi8(static_cast<char>(0x80)));
  s.fault = _mm256_or_si256(s.fault, _mm256_xor_si256(due_bit, pair));
  s.fault = _mm256_or_si256(s.fault, _mm256_cmpeq_epi8(block, _mm256_setzero_si256()));
  s.wildcard = _mm256_or_si256(
      s.wildcard, _mm256_cmpeq_epi8(_mm256_or_si256(block, _mm256_set1_epi8(8)), _mm256_set1_epi8('+')));
  s.previous = block;
}

/// The last octets of `text` after `done`, filled up with spaces: ASCII behind the end shows a code
/// point that was cut off, and reads nothing outside.
template <std::size_t Width>
std::array<octet, Width> last_block(octets text, std::size_t done) noexcept {
  std::array<octet, Width> block;
  block.fill(' ');
  std::copy(text.begin() + static_cast<std::ptrdiff_t>(done), text.end(), block.begin());
  return block;
}

} // namespace

bool has_ssse3() noexcept { return __builtin_cpu_supports("ssse3") != 0; }
bool has_avx2() noexcept { return __builtin_cpu_supports("avx2") != 0; }

TROUPE_SSSE3 text_fault judge_text_ssse3(octets text, bool refuse_wildcards) noexcept {
  ssse3_state s;
  std::size_t done = 0;
  for (; text.size() - done >= 16; done += 16)
    step(s, _mm_loadu_si128(reinterpret_cast<const __m128i*>(text.data() + done)));
  const auto tail = last_block<16>(text, done);
  step(s, _mm_loadu_si128(reinterpret_cast<const __m128i*>(tail.data())));
  const __m128i none = _mm_setzero_si128();
  return verdict_of(_mm_movemask_epi8(_mm_cmpeq_epi8(s.fault, none)) != 0xFFFF,
                    refuse_wildcards && _mm_movemask_epi8(s.wildcard) != 0);
}

TROUPE_AVX2 text_fault judge_text_avx2(octets text, bool refuse_wildcards) noexcept {
  const __m256i none = _mm256_setzero_si256();
  avx2_state s{none, none, none};
  std::size_t done = 0;
  for (; text.size() - done >= 32; done += 32)
    step(s, _mm256_loadu_si256(reinterpret_cast<const __m256i*>(text.data() + done)));
  const auto tail = last_block<32>(text, done);
  step(s, _mm256_loadu_si256(reinterpret_cast<const __m256i*>(tail.data())));
  return verdict_of(_mm256_testz_si256(s.fault, s.fault) == 0,
                    refuse_wildcards && _mm256_movemask_epi8(s.wildcard) != 0);
}

#else

bool has_ssse3() noexcept { return false; }
bool has_avx2() noexcept { return false; }
text_fault judge_text_ssse3(octets text, bool refuse_wildcards) noexcept {
  return judge_text_scalar(text, refuse_wildcards);
}
text_fault judge_text_avx2(octets text, bool refuse_wildcards) noexcept {
  return judge_text_scalar(text, refuse_wildcards);
}

#endif

text_fault judge_text(octets text, bool refuse_wildcards) noexcept {
  // Below this the tables cost more to set up than the loop takes.
  constexpr std::size_t table_pays_from = 48;
  if (text.size() < table_pays_from) return judge_text_scalar(text, refuse_wildcards);
  static const auto widest = has_avx2()    ? &judge_text_avx2
                             : has_ssse3() ? &judge_text_ssse3
                                           : &judge_text_scalar;
  return widest(text, refuse_wildcards);
}

} // namespace troupe::protocol::detail
