// wire: octets as tests write and read them.
//
// hex("30 05 | 00 01 61 | 'ok'") is a padded buffer: octets in hexadecimal, texts in quotes, bars and
// blanks for the eye. byte_outbox collects what encoders append.
#pragma once

#include <troupe/protocol/outbox.hpp>
#include <troupe/protocol/slice.hpp>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <sys/mman.h>
#include <unistd.h>
#include <vector>

namespace support {

using troupe::protocol::octet;
using troupe::protocol::octets;

/// `size` octets that end where a page begins that nobody may touch: one octet too far and the test dies.
inline std::shared_ptr<octet> bordered(std::size_t size) {
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  const std::size_t own = (size + page - 1) / page * page;
  void* const all = mmap(nullptr, own + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (all == MAP_FAILED) throw std::runtime_error{"no memory to be mapped"};
  auto* const begin = static_cast<octet*>(all);
  mprotect(begin + own, page, PROT_NONE);
  return {begin + own - size, [=](octet*) { munmap(all, own + page); }};
}

/// Octets with read_slack more behind them, whose value is no text, so that reading too far shows; behind
/// those the page ends.
class padded {
public:
  padded() : padded{octets{}} {}
  explicit padded(octets content)
      : memory_{bordered(content.size() + troupe::protocol::read_slack)}, size_{content.size()} {
    std::copy(content.begin(), content.end(), memory_.get());
    std::fill_n(memory_.get() + size_, troupe::protocol::read_slack, octet{0xFF});
  }
  explicit padded(std::string_view text) : padded{troupe::protocol::as_octets(text)} {}
  operator octets() const noexcept { return view(); }
  octets view() const noexcept { return {memory_.get(), size_}; }
  std::size_t size() const noexcept { return size_; }

private:
  std::shared_ptr<octet> memory_; // shared by copies: nobody writes any more
  std::size_t size_;
};

inline std::vector<octet> parse_hex(std::string_view text) {
  std::vector<octet> bytes;
  for (std::size_t i = 0; i < text.size();) {
    if (text[i] == ' ' || text[i] == '|') {
      ++i;
    } else if (text[i] == '\'') {
      for (++i; text.at(i) != '\''; ++i) bytes.push_back(static_cast<octet>(text[i]));
      ++i;
    } else {
      bytes.push_back(static_cast<octet>(std::stoul(std::string{text.substr(i, 2)}, nullptr, 16)));
      i += 2;
    }
  }
  return bytes;
}

inline padded hex(std::string_view text) { return padded{octets{parse_hex(text)}}; }

/// "30 05 ..", to be compared and printed.
inline std::string dump(octets bytes) {
  std::string text;
  char two[4];
  for (const octet byte : bytes) {
    std::snprintf(two, sizeof two, "%02X ", byte);
    text += two;
  }
  if (!text.empty()) text.pop_back();
  return text;
}
inline std::string dump(std::string_view hex_text) { return dump(octets{parse_hex(hex_text)}); }

/// Grows by exactly what is asked, so that writing beyond a reservation meets the sanitizer.
class byte_outbox final : public troupe::protocol::outbox {
public:
  std::vector<octet> bytes() {
    settle();
    return all_;
  }
  std::string dumped() { return dump(octets{bytes()}); }
  bool empty() { return bytes().empty(); }
  std::size_t borrowed() const noexcept { return borrowed_; }
  void clear() {
    settle();
    all_.clear();
  }
  void borrow(octets payload, troupe::protocol::keeper*) override {
    settle();
    all_.insert(all_.end(), payload.begin(), payload.end());
    ++borrowed_;
  }

protected:
  void grow(std::size_t count) override {
    settle();
    chunk_.assign(count, 0);
    cursor_ = chunk_.data();
    end_ = cursor_ + count;
  }

private:
  void settle() {
    if (!chunk_.empty()) all_.insert(all_.end(), chunk_.data(), cursor_);
    chunk_.clear();
    cursor_ = end_ = nullptr;
  }
  std::vector<octet> all_;
  std::vector<octet> chunk_;
  std::size_t borrowed_ = 0;
};

/// A keeper that only counts.
class counting_keeper final : public troupe::protocol::keeper {
public:
  void retain(std::uint32_t count) noexcept override { references += count; }
  void release(std::uint32_t count) noexcept override { references -= count; }
  std::int64_t references = 0;
};

} // namespace support
