// change_summary: what is left of many changes when each key is heard once.
//
// Lives here: last_word, change_summary; behind(), which ends the range of a prefix.
// Holds:   what was added and erased leaves nothing. Prefixes are erased first, then the last words of keys
//          hold, none of which puts anything below one.
// Threads: belongs to whoever folds.
// Errors:  take() answers false for octets that are no changes.
// Costs:   one entry of a map per key; views, no copies.
#pragma once

#include "change_set.hpp"

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

namespace troupe::runtime {

/// The first key behind all that begin with `prefix`; empty: there is none.
inline std::string behind(std::string_view prefix) {
  std::string key{prefix};
  while (!key.empty() && static_cast<unsigned char>(key.back()) == 0xFF) key.pop_back();
  if (!key.empty()) key.back() = static_cast<char>(static_cast<unsigned char>(key.back()) + 1);
  return key;
}

/// What is left of many changes to one key.
struct last_word {
  std::string_view value{};
  bool is_erased = false;
  bool is_fresh = false; // the state knows no such key
};

/// The changes of a journal, each key once.
class change_summary {
public:
  /// False for octets that are no changes. What it tells lies in `journal`.
  bool take(std::string_view journal) {
    return for_each_change(journal, [this](const change& one) { take(one); });
  }
  const std::unordered_set<std::string_view>& erased_prefixes() const noexcept { return prefixes_; }
  /// Calls `f(key, last_word)` for what is left to be done to single keys, behind the prefixes.
  template <class F>
  void for_each(F f) const {
    for (const auto& [key, word] : words_)
      if (word.is_erased || !is_under_erased(key)) f(key, word);
  }

private:
  void take(const change& one) {
    switch (one.kind) {
    case change_kind::add: words_[one.key] = {.value = one.value, .is_fresh = true}; return;
    case change_kind::put: {
      last_word& word = words_[one.key];
      word = {.value = one.value, .is_fresh = word.is_fresh};
      return;
    }
    case change_kind::erase: {
      const auto known = words_.try_emplace(one.key).first;
      if (known->second.is_fresh)
        words_.erase(known);
      else
        known->second = {.is_erased = true};
      return;
    }
    case change_kind::erase_prefix:
      prefixes_.insert(one.key);
      lengths_.insert(one.key.size());
      return;
    }
  }
  bool is_under_erased(std::string_view key) const {
    return std::any_of(lengths_.begin(), lengths_.end(), [&](std::size_t length) {
      return key.size() >= length && prefixes_.contains(key.substr(0, length));
    });
  }

  std::unordered_map<std::string_view, last_word> words_;
  std::unordered_set<std::string_view> prefixes_;
  std::unordered_set<std::size_t> lengths_;
};

} // namespace troupe::runtime
