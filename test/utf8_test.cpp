#include "support/wire.hpp"

#include <troupe/protocol/utf8.hpp>

#include <array>
#include <gtest/gtest.h>
#include <random>
#include <sys/mman.h>
#include <unistd.h>

namespace {

using namespace troupe::protocol;
using support::padded;

/// Section 1.5.4 written down in another way: decode each code point, encode it again, compare.
text_fault expected_fault(octets text, bool topic) {
  bool wildcard = false;
  for (std::size_t at = 0; at < text.size();) {
    const unsigned lead = text[at];
    const std::size_t length = lead < 0x80 ? 1 : lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
    if (at + length > text.size()) return text_fault::malformed;
    std::uint32_t code = length == 1 ? lead : lead & (0x7FU >> length);
    for (std::size_t i = 1; i < length; ++i) code = (code << 6U) | (text[at + i] & 0x3FU);
    if (code == 0 || code > 0x10FFFF || (code >= 0xD800 && code < 0xE000)) return text_fault::malformed;
    std::vector<unsigned> again;
    if (code < 0x80)
      again = {code};
    else if (code < 0x800)
      again = {0xC0 | (code >> 6U), 0x80 | (code & 0x3FU)};
    else if (code < 0x10000)
      again = {0xE0 | (code >> 12U), 0x80 | ((code >> 6U) & 0x3FU), 0x80 | (code & 0x3FU)};
    else
      again = {0xF0 | (code >> 18U), 0x80 | ((code >> 12U) & 0x3FU), 0x80 | ((code >> 6U) & 0x3FU),
               0x80 | (code & 0x3FU)};
    if (!std::equal(again.begin(), again.end(), text.begin() + static_cast<std::ptrdiff_t>(at),
                    text.begin() + static_cast<std::ptrdiff_t>(at + length)))
      return text_fault::malformed;
    wildcard |= code == '+' || code == '#';
    at += length;
  }
  return topic && wildcard ? text_fault::wildcard : text_fault::none;
}

void expect_all_agree(octets text) {
  for (const bool topic : {false, true}) {
    const auto expected = expected_fault(text, topic);
    const padded copy{text};
    ASSERT_EQ(topic ? find_topic_fault(copy) : find_text_fault(copy), expected) << support::dump(text);
    ASSERT_EQ(topic ? find_topic_fault_exact(copy) : find_text_fault_exact(copy), expected)
        << support::dump(text);
    ASSERT_EQ(detail::judge_text(text, topic), expected) << support::dump(text);
    ASSERT_EQ(detail::judge_text_scalar(text, topic), expected) << support::dump(text);
    if (detail::has_ssse3()) {
      ASSERT_EQ(detail::judge_text_ssse3(text, topic), expected) << support::dump(text);
    }
    if (detail::has_avx2()) {
      ASSERT_EQ(detail::judge_text_avx2(text, topic), expected) << support::dump(text);
    }
  }
}

TEST(utf8, MQTT_1_5_4_1_judges_every_pair_of_octets) {
  for (unsigned first = 0; first < 256; ++first)
    for (unsigned second = 0; second < 256; ++second)
      expect_all_agree(std::array<octet, 2>{static_cast<octet>(first), static_cast<octet>(second)});
}

TEST(utf8, MQTT_1_5_4_1_judges_long_forms_at_every_offset_of_a_block) {
  const octet interesting[] = {0x00, 0x2B, 0x41, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0,
                               0xBF, 0xC0, 0xC1, 0xC2, 0xDF, 0xE0, 0xE1, 0xEC, 0xED,
                               0xEE, 0xEF, 0xF0, 0xF1, 0xF3, 0xF4, 0xF5, 0xF8, 0xFF};
  std::vector<octet> text(70, 'x');
  std::size_t offset = 0;
  for (const octet a : interesting)
    for (const octet b : interesting)
      for (const octet c : interesting)
        for (const octet d : {octet{0x41}, octet{0x7F}, octet{0x80}, octet{0xBF}, octet{0xC2}}) {
          offset = (offset + 1) % 66;
          std::copy_n(std::array{a, b, c, d}.begin(), 4, text.begin() + static_cast<std::ptrdiff_t>(offset));
          expect_all_agree(text);
          std::fill_n(text.begin() + static_cast<std::ptrdiff_t>(offset), 4, octet{'x'});
        }
}

TEST(utf8, judges_every_code_point_right) {
  std::vector<octet> text;
  for (std::uint32_t code = 1; code <= 0x10FFFF; ++code) {
    if (code >= 0xD800 && code < 0xE000) continue;
    if (code < 0x80)
      text.push_back(static_cast<octet>(code));
    else if (code < 0x800)
      text.insert(text.end(), {static_cast<octet>(0xC0 | (code >> 6U))});
    else if (code < 0x10000)
      text.insert(text.end(), {static_cast<octet>(0xE0 | (code >> 12U)),
                               static_cast<octet>(0x80 | ((code >> 6U) & 0x3FU))});
    else
      text.insert(text.end(), {static_cast<octet>(0xF0 | (code >> 18U)),
                               static_cast<octet>(0x80 | ((code >> 12U) & 0x3FU)),
                               static_cast<octet>(0x80 | ((code >> 6U) & 0x3FU))});
    if (code >= 0x80) text.push_back(static_cast<octet>(0x80 | (code & 0x3FU)));
  }
  EXPECT_EQ(detail::judge_text_scalar(text, false), text_fault::none);
  EXPECT_EQ(detail::judge_text(text, false), text_fault::none);
  EXPECT_EQ(detail::judge_text(text, true), text_fault::wildcard);
  if (detail::has_ssse3()) {
    EXPECT_EQ(detail::judge_text_ssse3(text, false), text_fault::none);
  }
  if (detail::has_avx2()) {
    EXPECT_EQ(detail::judge_text_avx2(text, false), text_fault::none);
  }
}

TEST(utf8, agrees_with_itself_on_spoilt_texts_of_every_length) {
  std::mt19937 chance{20231107};
  const std::vector<std::string> pieces{"a",     "/", "plant", "\xC3\xBC", "\xE2\x82\xAC", "\xF0\x9F\x98\x80",
                                        "level/"};
  for (int round = 0; round < 20'000; ++round) {
    std::string text;
    while (text.size() < round % 130U) text += pieces[chance() % pieces.size()];
    if (!text.empty() && round % 3 != 0) text[chance() % text.size()] = static_cast<char>(chance());
    if (!text.empty() && round % 7 == 0) text.pop_back();
    expect_all_agree(as_octets(text));
  }
}

TEST(utf8, MQTT_1_5_4_2_refuses_nul_at_every_place) {
  for (std::size_t size = 1; size <= 100; ++size)
    for (std::size_t at = 0; at < size; ++at) {
      std::string text(size, 'a');
      text[at] = '\0';
      ASSERT_EQ(find_text_fault(padded{text}), text_fault::malformed);
      ASSERT_EQ(find_text_fault_exact(as_octets(text)), text_fault::malformed);
      text[at] = at % 2 == 0 ? '+' : '#';
      ASSERT_EQ(find_topic_fault(padded{text}), text_fault::wildcard);
      ASSERT_EQ(find_topic_fault_exact(as_octets(text)), text_fault::wildcard);
      ASSERT_EQ(find_text_fault(padded{text}), text_fault::none);
    }
}

TEST(utf8, the_exact_forms_read_nothing_outside_even_at_a_page_border) {
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  auto* memory = static_cast<octet*>(
      mmap(nullptr, 3 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  ASSERT_NE(memory, MAP_FAILED);
  ASSERT_EQ(mprotect(memory, page, PROT_NONE), 0);
  ASSERT_EQ(mprotect(memory + 2 * page, page, PROT_NONE), 0);
  std::fill_n(memory + page, page, octet{'a'});
  for (std::size_t size = 0; size <= 200; ++size) {
    for (octet* const at : {memory + page, memory + 2 * page - size}) {
      ASSERT_EQ(find_topic_fault_exact({at, size}), text_fault::none);
      if (size == 0) continue;
      at[size - 1] = 0xC3;
      ASSERT_EQ(find_text_fault_exact({at, size}), text_fault::malformed);
      at[size - 1] = 'a';
    }
    if (size + read_slack <= page) { // the padded form goes no further than its slack
      octet* const at = memory + 2 * page - read_slack - size;
      ASSERT_EQ(find_text_fault({at, size}), text_fault::none);
    }
  }
  munmap(memory, 3 * page);
}

} // namespace
