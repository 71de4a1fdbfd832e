// slice: a view of bytes together with whatever keeps those bytes alive.
//
// Lives here: octet, octets, keeper (the abstract owner of memory), keeper_ref, slice.
// Holds:   while a keeper_ref or a slice exists, the bytes behind it stay where they are.
// Threads: counting is the keeper's business; a keeper handed between threads must count
//          atomically. This header knows no thread.
// Errors:  none.
// Costs:   a copy of a slice is one virtual call; a view (octets) costs nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>

namespace troupe::protocol {

using octet = std::uint8_t;
using octets = std::span<const octet>;

/// Every buffer that a decoder or validator reads must have this many readable octets after its
/// end. Their values do not matter.
inline constexpr std::size_t read_slack = 32;

/// The text form of octets, unchecked.
inline std::string_view as_text(octets bytes) noexcept {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// The octets of a text.
inline octets as_octets(std::string_view text) noexcept {
  return {reinterpret_cast<const octet*>(text.data()), text.size()};
}

/// Owner of memory that several views share. Implemented by the runtime's slabs and by tests.
class keeper {
public:
  /// Takes `count` more references.
  virtual void retain(std::uint32_t count) noexcept = 0;
  /// Gives `count` references back; the memory may be re-used when none is left.
  virtual void release(std::uint32_t count) noexcept = 0;

protected:
  ~keeper() = default;
};

/// One counted reference to a keeper, or none.
class keeper_ref {
public:
  keeper_ref() noexcept = default;
  /// Takes a new reference to `target` (may be null).
  explicit keeper_ref(keeper* target) noexcept : target_{target} {
    if (target_ != nullptr) target_->retain(1);
  }
  /// Takes over a reference that the caller already holds.
  static keeper_ref adopt(keeper* target) noexcept {
    keeper_ref result;
    result.target_ = target;
    return result;
  }
  keeper_ref(const keeper_ref& other) noexcept : keeper_ref{other.target_} {}
  keeper_ref(keeper_ref&& other) noexcept : target_{std::exchange(other.target_, nullptr)} {}
  keeper_ref& operator=(keeper_ref other) noexcept {
    std::swap(target_, other.target_);
    return *this;
  }
  ~keeper_ref() {
    if (target_ != nullptr) target_->release(1);
  }

  keeper* get() const noexcept { return target_; }
  /// Gives the reference to the caller, who must release it.
  keeper* detach() noexcept { return std::exchange(target_, nullptr); }
  explicit operator bool() const noexcept { return target_ != nullptr; }

private:
  keeper* target_ = nullptr;
};

/// Octets and the reference that keeps them.
class slice {
public:
  slice() noexcept = default;
  slice(octets bytes, keeper_ref owner) noexcept : bytes_{bytes}, owner_{std::move(owner)} {}

  octets bytes() const noexcept { return bytes_; }
  std::string_view text() const noexcept { return as_text(bytes_); }
  std::size_t size() const noexcept { return bytes_.size(); }
  bool empty() const noexcept { return bytes_.empty(); }
  const keeper_ref& owner() const noexcept { return owner_; }
  /// A part of this slice that shares its owner. `offset + count` must not pass the end.
  slice part(std::size_t offset, std::size_t count) const noexcept {
    return {bytes_.subspan(offset, count), owner_};
  }

private:
  octets bytes_;
  keeper_ref owner_;
};

} // namespace troupe::protocol
