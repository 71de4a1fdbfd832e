// frames: what tests of the framer share.
//
// Lives here: counting_source (memory that knows what is out), publish_of (a packet of a given size).
#pragma once

#include "rules.hpp"

#include <troupe/protocol/buffer_source.hpp>
#include <troupe/protocol/publish.hpp>

#include <gtest/gtest.h>

#include <string_view>
#include <vector>

namespace support {

/// A source that knows what is out.
class counting_source final : public troupe::protocol::buffer_source {
public:
  troupe::protocol::fresh_buffer take_buffer(std::size_t size) noexcept override {
    if (size > most) return {};
    asked.push_back(size);
    auto* const made = new buffer{*this, size};
    ++out;
    return {made, made->octets.data()};
  }

  std::vector<std::size_t> asked; // sizes, in the order of the calls
  std::size_t out = 0;            // buffers that somebody holds
  std::size_t most = ~std::size_t{0};

private:
  class buffer final : public troupe::protocol::keeper {
  public:
    buffer(counting_source& from, std::size_t size)
        : octets(size + troupe::protocol::read_slack), from_{from} {}
    void retain(std::uint32_t count) noexcept override { count_ += count; }
    void release(std::uint32_t count) noexcept override {
      count_ -= count;
      if (count_ != 0) return;
      --from_.out;
      delete this;
    }
    std::vector<octet> octets;

  private:
    ~buffer() = default;
    counting_source& from_;
    std::uint32_t count_ = 1;
  };
};

inline std::vector<octet> publish_of(std::string_view topic, std::size_t payload, version v = v5) {
  byte_outbox out;
  std::vector<octet> body(payload);
  for (std::size_t i = 0; i < payload; ++i) body[i] = static_cast<octet>(i * 7U);
  EXPECT_TRUE(troupe::protocol::encode_publish(out, {.topic = topic, .payload = body}, v));
  return out.bytes();
}

} // namespace support
