#include <troupe/protocol/topic_memory.hpp>

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace {

using namespace troupe::protocol;

/// `text` with read_slack octets of `filling` behind it.
std::vector<octet> padded_with(const std::string& text, octet filling) {
  std::vector<octet> all{text.begin(), text.end()};
  all.resize(text.size() + read_slack, filling);
  return all;
}

std::string text_of(std::size_t size) {
  std::string text;
  for (std::size_t i = 0; i < size; ++i) text += static_cast<char>('a' + i % 26);
  return text;
}

TEST(topic_memory, knows_nothing_at_first_and_no_empty_topic) {
  topic_memory memory;
  const auto bytes = padded_with("", 'x');
  EXPECT_FALSE(memory.knows({bytes.data(), 0}));
  memory.remember({bytes.data(), 0});
  EXPECT_FALSE(memory.knows({bytes.data(), 0}));
}

TEST(topic_memory, tells_every_octet_apart_and_looks_at_nothing_behind) {
  for (std::size_t size = 1; size <= 100; ++size) {
    const auto first = padded_with(text_of(size), 'x');
    auto again = padded_with(text_of(size), 'y');
    topic_memory memory;
    memory.remember({first.data(), size});
    ASSERT_TRUE(memory.knows({again.data(), size})) << size;
    EXPECT_FALSE(memory.knows({again.data(), size - 1}));
    EXPECT_FALSE(memory.knows({again.data(), size + 1}));
    for (std::size_t at = 0; at < size; ++at) {
      again[at] ^= 0x80U;
      ASSERT_FALSE(memory.knows({again.data(), size})) << size << ' ' << at;
      again[at] ^= 0x80U;
    }
  }
}

TEST(topic_memory, forgets) {
  const auto bytes = padded_with("a/b", 'x');
  topic_memory memory;
  memory.remember({bytes.data(), 3});
  EXPECT_EQ(memory.last(), "a/b");
  memory.forget();
  EXPECT_FALSE(memory.knows({bytes.data(), 3}));
}

} // namespace
