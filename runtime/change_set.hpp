// change_set: changes to keys and values, as one run of octets.
//
//   change = kind (1) · length of key (2, or 0xFFFF and 4 more) · key · length of value (4) · value
//
// Lives here: change_set (what is being written down), change and for_each_change (reading it again),
//          for_each_part.
// Holds:   changes are carried out in the order in which they were written, all of them or none. What is
//          added is a key that has never been there before: with its removal in the same set of changes it
//          leaves no trace.
// Threads: a value; belongs to whoever has it.
// Units:   octets; a key or value has at most 4,294,967,295.
// Errors:  for_each_change answers false for octets that are no changes.
// Costs:   a change is one copy; no allocation once the set has seen its peak.
#pragma once

#include "../protocol/slice.hpp"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

namespace troupe::runtime {

enum class change_kind : std::uint8_t {
  add,          // a key that is new
  put,          // a key that may be there
  erase,        // one key
  erase_prefix, // all keys that begin with it; nothing is put there again
};

struct change {
  change_kind kind = change_kind::put;
  std::string_view key{};
  std::string_view value{};
};

class change_set {
public:
  void add(std::string_view key, std::string_view value) { write(change_kind::add, key, value); }
  void put(std::string_view key, std::string_view value) { write(change_kind::put, key, value); }
  void erase(std::string_view key) { write(change_kind::erase, key, {}); }
  void erase_prefix(std::string_view prefix) { write(change_kind::erase_prefix, prefix, {}); }

  bool empty() const noexcept { return octets_.empty(); }
  std::size_t size() const noexcept { return octets_.size(); }
  std::string_view octets() const noexcept {
    return {reinterpret_cast<const char*>(octets_.data()), octets_.size()};
  }
  void clear() noexcept { octets_.clear(); }
  void append(const change_set& other) {
    octets_.insert(octets_.end(), other.octets_.begin(), other.octets_.end());
  }

  /// Stands for the length of a key that has at least as many octets; its length follows.
  static constexpr std::size_t long_key = 0xFFFF;

private:
  void write(change_kind kind, std::string_view key, std::string_view value) {
    const std::size_t at = octets_.size();
    const bool is_long = key.size() >= long_key;
    octets_.resize(at + 1 + (is_long ? 2 + 4 : 2) + key.size() + 4 + value.size());
    protocol::octet* to = octets_.data() + at;
    *to++ = static_cast<protocol::octet>(kind);
    to = write_number(to, is_long ? long_key : key.size(), 2);
    if (is_long) to = write_number(to, key.size(), 4);
    to = write_text(to, key);
    to = write_number(to, value.size(), 4);
    write_text(to, value);
  }
  static protocol::octet* write_number(protocol::octet* to, std::size_t value, unsigned octets) noexcept {
    for (unsigned left = octets; left-- != 0;) *to++ = static_cast<protocol::octet>(value >> (8U * left));
    return to;
  }
  static protocol::octet* write_text(protocol::octet* to, std::string_view text) noexcept {
    if (!text.empty()) std::memcpy(to, text.data(), text.size());
    return to + text.size();
  }

  std::vector<protocol::octet> octets_;
};

namespace detail {

/// Takes a number of `octets` octets off the front of `from`; false when there are not as many.
inline bool take_number(std::string_view& from, unsigned octets, std::size_t& value) noexcept {
  if (from.size() < octets) return false;
  value = 0;
  for (unsigned at = 0; at < octets; ++at) value = value << 8U | static_cast<unsigned char>(from[at]);
  from.remove_prefix(octets);
  return true;
}

inline bool take_text(std::string_view& from, std::size_t length, std::string_view& text) noexcept {
  if (from.size() < length) return false;
  text = from.substr(0, length);
  from.remove_prefix(length);
  return true;
}

inline bool take_key(std::string_view& from, std::string_view& key) noexcept {
  std::size_t length = 0;
  if (!take_number(from, 2, length)) return false;
  if (length == change_set::long_key && !take_number(from, 4, length)) return false;
  return take_text(from, length, key);
}

inline bool take_value(std::string_view& from, std::string_view& value) noexcept {
  std::size_t length = 0;
  return take_number(from, 4, length) && take_text(from, length, value);
}

} // namespace detail

/// Calls `f(const change&)` for each change, in order; what it sees lies in `octets`.
template <class F>
bool for_each_change(std::string_view octets, F f) {
  while (!octets.empty()) {
    change one;
    std::size_t kind = 0;
    if (!detail::take_number(octets, 1, kind) || kind > static_cast<std::size_t>(change_kind::erase_prefix)
        || !detail::take_key(octets, one.key) || !detail::take_value(octets, one.value))
      return false;
    one.kind = static_cast<change_kind>(kind);
    f(std::as_const(one));
  }
  return true;
}

/// Calls `f(part)` for runs of whole changes that are `changes` together, each but the last of them just as
/// long as `enough` asks for.
template <class F>
void for_each_part(std::string_view changes, std::size_t enough, F f) {
  const char* part = changes.data();
  for_each_change(changes, [&](const change& one) {
    const char* const end = one.value.data() + one.value.size();
    if (static_cast<std::size_t>(end - part) < enough) return;
    f(std::string_view{part, static_cast<std::size_t>(end - part)});
    part = end;
  });
  const char* const end = changes.data() + changes.size();
  if (part != end) f(std::string_view{part, static_cast<std::size_t>(end - part)});
}

} // namespace troupe::runtime
