// sequence: payloads that can be told apart, and the book that says what became of each.
//
// Lives here: fill_payload, stamp, sequence_check.
// Holds:   octets 0-7 of a payload are its sequence number (payloads under 8 octets: as many as fit,
//          low end first), octet i of the rest is i mod 256. After a run, every number expected and not
//          seen is lost, every number seen before is duplicated, every number that came after a larger
//          one is reordered; a payload of wrong size or content counts as damaged.
// Threads: a check belongs to whoever receives; read it after the last message.
// Costs:   in order: one comparison of the number, one of the last eight octets. With thorough(), all
//          octets are compared.
#pragma once

#include "../../protocol/slice.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

namespace troupe::bench {

/// The part of a payload that is the same for all messages.
void fill_payload(std::span<protocol::octet> payload) noexcept;

/// Writes the number into a filled payload.
inline void stamp(std::span<protocol::octet> payload, std::uint64_t number) noexcept {
  static_assert(sizeof number == 8);
  if (!payload.empty()) std::memcpy(payload.data(), &number, std::min(payload.size(), sizeof number));
}

/// The number a payload carries. One too short for all of it carries the low end.
inline std::uint64_t number_of(protocol::octets payload) noexcept {
  std::uint64_t number = 0;
  if (!payload.empty()) std::memcpy(&number, payload.data(), std::min(payload.size(), sizeof number));
  return number;
}

class sequence_check {
public:
  /// Payloads of `payload` octets; numbers from 0 up to `expected`, which arm() sets anew.
  explicit sequence_check(std::size_t payload);

  /// Expects the numbers [first, first + expected) from now on; forgets the last run's book.
  void arm(std::uint64_t first, std::uint64_t expected);
  /// Compares every octet of each payload instead of its ends.
  void thorough(bool whole) noexcept { whole_ = whole; }

  /// Takes note of one message. Answers how many came since arm(), this one included.
  std::uint64_t take(protocol::octets payload) noexcept {
    const bool fits = payload.size() == pattern_.size() && ends_fit(payload);
    if (fits && number_of(payload) == (next_ & mask_)) [[likely]]
      ++next_;
    else
      take_unexpected(payload, fits);
    return ++received_;
  }

  std::uint64_t received() const noexcept { return received_; }
  std::uint64_t lost() const noexcept;
  std::uint64_t duplicated() const noexcept { return duplicated_; }
  std::uint64_t reordered() const noexcept { return reordered_; }
  std::uint64_t damaged() const noexcept { return damaged_; }

private:
  /// The last eight octets, but not those of the number, by one comparison.
  bool ends_fit(protocol::octets payload) const noexcept {
    if (payload.size() < 8) return true;
    std::uint64_t end = 0;
    std::memcpy(&end, payload.data() + payload.size() - sizeof end, sizeof end);
    return ((end ^ end_) & end_mask_) == 0 && (!whole_ || rest_fits(payload));
  }
  bool rest_fits(protocol::octets payload) const noexcept;
  void take_unexpected(protocol::octets payload, bool fits) noexcept;

  std::vector<protocol::octet> pattern_;
  std::uint64_t mask_;     // which bits of a number fit into the payload
  std::uint64_t end_ = 0;  // the pattern's last eight octets
  std::uint64_t end_mask_; // those of them that are not part of the number
  std::uint64_t first_ = 0;
  std::uint64_t next_ = 0; // largest number seen + 1
  std::uint64_t expected_ = 0;
  std::uint64_t received_ = 0;
  std::uint64_t duplicated_ = 0;
  std::uint64_t reordered_ = 0;
  std::uint64_t damaged_ = 0;
  std::vector<std::uint64_t> skipped_; // numbers jumped over and not seen since; empty in good runs
  std::uint64_t skipped_beyond_ = 0;   // how many more than the list may hold
  bool whole_ = false;
};

} // namespace troupe::bench
