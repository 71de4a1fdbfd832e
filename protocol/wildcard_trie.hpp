// wildcard_trie: filters with wildcards, level by level, and which of them a topic matches.
//
// Lives here: wildcard_trie; a filter leads to a number that its user chose.
// Holds:   one node a level, found by parent and level text in one flat table; texts are always
//          compared, never hashes alone. Filters that start with a wildcard do not match topics that
//          start with `$` [MQTT-4.7.2-1]; `a/#` matches `a` too [MQTT-4.7.1-2].
// Threads: belongs to one topic_index.
// Errors:  put answers errc::filter_too_complex beyond the caps; walk stops at its step budget and says
//          so: a set of filters made to be slow costs a bounded time.
// Costs:   a walk allocates nothing but room in the answer; no recursion.
#pragma once

#include "result.hpp"
#include "topic_hash.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace troupe::protocol {

class wildcard_trie {
public:
  static constexpr std::uint32_t nothing = 0xFFFF'FFFF;
  static constexpr std::size_t most_levels = 128;      // of one filter
  static constexpr std::size_t most_wildcards = 16;    // of one filter
  static constexpr std::uint32_t step_budget = 32'768; // nodes visited by one walk

  explicit wildcard_trie(std::uint64_t seed) : hash_{seed}, nodes_(1) {}

  /// The number kept for `filter`, `nothing` if there is none.
  std::uint32_t find(std::string_view filter) const noexcept;
  /// Keeps `number` for a valid `filter` that has none yet.
  result<void> put(std::string_view filter, std::uint32_t number);
  /// Forgets the number of `filter`, which must have one.
  void remove(std::string_view filter) noexcept;
  /// Appends the number of every filter that matches `name`. False when the budget did not suffice.
  bool walk(std::string_view name, std::vector<std::uint32_t>& numbers) const;

  std::size_t size() const noexcept { return filters_; }
  /// Octets of memory owned.
  std::size_t owned() const noexcept;

private:
  struct node {
    std::string level{};
    std::uint32_t parent = nothing;
    std::uint32_t plus = nothing;  // the child for `+`
    std::uint32_t here = nothing;  // number of the filter that ends here
    std::uint32_t below = nothing; // number of the filter that goes on with `#` and ends
    std::uint32_t children = 0;    // with texts, in the table
    std::uint32_t tag = 0;         // of the table
  };
  struct place {
    std::uint32_t tag = 0;
    std::uint32_t child = 0; // 0 = free: the root is nobody's child
  };

  static bool is_within_caps(std::string_view filter) noexcept;
  std::uint64_t hash_of(std::uint32_t parent, std::uint64_t level) const noexcept {
    return hash_.join(parent, level);
  }
  std::uint32_t child(std::uint32_t parent, std::string_view level, std::uint64_t hash) const noexcept;
  std::uint32_t descend(std::string_view& filter, std::uint32_t at) const noexcept;
  std::uint32_t find_node(std::string_view filter, bool& is_below) const noexcept;
  std::uint32_t add_child(std::uint32_t parent, std::string_view level);
  std::uint32_t fresh_node(std::uint32_t parent);
  void prune(std::uint32_t at) noexcept;
  void enter(std::uint32_t child, std::uint64_t hash) noexcept;
  void leave(std::uint32_t child) noexcept;
  void grow();

  topic_hash hash_;
  std::vector<node> nodes_; // 0 is the root
  std::vector<std::uint32_t> spare_;
  std::vector<place> table_; // a power of two, or empty
  std::size_t entered_ = 0;
  std::size_t filters_ = 0;
};

} // namespace troupe::protocol
