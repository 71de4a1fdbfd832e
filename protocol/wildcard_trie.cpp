#include "wildcard_trie.hpp"

#include "errc.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <cstring>
#include <utility>

namespace troupe::protocol {

namespace {

std::uint64_t read_eight(const char* at) noexcept {
  std::uint64_t value = 0;
  std::memcpy(&value, at, sizeof value);
  return value;
}

/// Where the first slash is; levels are short, so eight octets at once beat a call.
std::size_t find_slash(std::string_view text) noexcept {
  constexpr std::uint64_t ones = 0x0101'0101'0101'0101U;
  std::size_t at = 0;
  if constexpr (std::endian::native == std::endian::little) {
    for (; at + 8 <= text.size(); at += 8) {
      const std::uint64_t other = read_eight(text.data() + at) ^ (ones * '/');
      const std::uint64_t zero = (other - ones) & ~other & (ones << 7U);
      if (zero != 0) return at + static_cast<std::size_t>(std::countr_zero(zero)) / 8;
    }
  }
  while (at != text.size() && text[at] != '/') ++at;
  return at == text.size() ? std::string_view::npos : at;
}

/// Compares short levels without a call.
bool is_same(std::string_view a, std::string_view b) noexcept {
  const std::size_t size = a.size();
  if (size != b.size()) return false;
  if (size > 16) return std::memcmp(a.data(), b.data(), size) == 0;
  if (size >= 8)
    return read_eight(a.data()) == read_eight(b.data())
           && read_eight(a.data() + size - 8) == read_eight(b.data() + size - 8);
  for (std::size_t at = 0; at != size; ++at)
    if (a[at] != b[at]) return false;
  return true;
}

/// Cuts the first level off `rest`; `more` says whether another follows (it may be empty).
std::string_view cut_level(std::string_view& rest, bool& more) noexcept {
  const std::size_t end = find_slash(rest);
  more = end != std::string_view::npos;
  const std::string_view level = rest.substr(0, end);
  rest = more ? rest.substr(end + 1) : std::string_view{};
  return level;
}

/// The levels of a topic, cut when a walk comes to them.
class topic_levels {
public:
  topic_levels(std::string_view name, const topic_hash& hash) noexcept : rest_{name}, hash_{&hash} {}

  /// Whether there is a level `n`; the walk asks in order, n <= known + 1.
  bool has(std::size_t n) noexcept {
    if (n >= known_ && more_) {
      const std::string_view level = cut_level(rest_, more_);
      texts_[known_++] = {level.data(), level.size()};
    }
    return n < known_;
  }
  std::string_view text(std::size_t n) const noexcept { return {texts_[n].at, texts_[n].size}; }
  std::uint64_t hash(std::size_t n) noexcept {
    if (n == hashed_) hashes_[hashed_++] = (*hash_)(text(n));
    return hashes_[n];
  }
  void skip_hash(std::size_t n) noexcept {
    while (hashed_ <= n) hash(hashed_);
  }

private:
  struct piece { // without initialisers: most of the array is never touched
    const char* at;
    std::size_t size;
  };

  std::string_view rest_;
  const topic_hash* hash_;
  std::size_t known_ = 0;
  std::size_t hashed_ = 0;
  bool more_ = true;
  std::array<piece, wildcard_trie::most_levels + 1> texts_;
  std::array<std::uint64_t, wildcard_trie::most_levels + 1> hashes_;
};

} // namespace

bool wildcard_trie::is_within_caps(std::string_view filter) noexcept {
  const auto levels = std::count(filter.begin(), filter.end(), '/') + 1;
  const auto wildcards = std::count(filter.begin(), filter.end(), '+');
  return levels <= static_cast<std::ptrdiff_t>(most_levels)
         && wildcards <= static_cast<std::ptrdiff_t>(most_wildcards);
}

std::uint32_t wildcard_trie::child(std::uint32_t parent, std::string_view level,
                                   std::uint64_t hash) const noexcept {
  const std::size_t mask = table_.size() - 1;
  const auto tag = static_cast<std::uint32_t>(hash >> 32U);
  for (std::size_t at = hash & mask; table_[at].child != 0; at = (at + 1) & mask) {
    const place& here = table_[at];
    if (here.tag != tag) continue;
    const node& found = nodes_[here.child];
    if (found.parent == parent && is_same(found.level, level)) return here.child;
  }
  return nothing;
}

std::uint32_t wildcard_trie::find_node(std::string_view filter, bool& is_below) const noexcept {
  is_below = false;
  std::uint32_t at = 0;
  for (bool more = true; more;) {
    const std::string_view level = cut_level(filter, more);
    if (level == "#") {
      is_below = true;
      return at;
    }
    if (level == "+")
      at = nodes_[at].plus;
    else
      at = nodes_[at].children == 0 ? nothing : child(at, level, hash_of(at, hash_(level)));
    if (at == nothing) return nothing;
  }
  return at;
}

std::uint32_t wildcard_trie::find(std::string_view filter) const noexcept {
  bool is_below = false;
  const std::uint32_t at = find_node(filter, is_below);
  if (at == nothing) return nothing;
  return is_below ? nodes_[at].below : nodes_[at].here;
}

result<void> wildcard_trie::put(std::string_view filter, std::uint32_t number) {
  if (!is_within_caps(filter)) return errc::filter_too_complex;
  std::uint32_t at = 0;
  bool is_below = false;
  for (bool more = true; more && !is_below;) {
    const std::string_view level = cut_level(filter, more);
    if (level == "#")
      is_below = true;
    else
      at = add_child(at, level);
  }
  std::uint32_t& kept = is_below ? nodes_[at].below : nodes_[at].here;
  assert(kept == nothing);
  kept = number;
  ++filters_;
  return {};
}

std::uint32_t wildcard_trie::add_child(std::uint32_t parent, std::string_view level) {
  if (level == "+") {
    if (nodes_[parent].plus == nothing) {
      const std::uint32_t added = fresh_node(parent);
      nodes_[parent].plus = added;
    }
    return nodes_[parent].plus;
  }
  const std::uint64_t hash = hash_of(parent, hash_(level));
  if (nodes_[parent].children != 0) {
    if (const std::uint32_t known = child(parent, level, hash); known != nothing) return known;
  }
  if ((entered_ + 1) * 8 > table_.size() * 5) grow();
  const std::uint32_t added = fresh_node(parent);
  nodes_[added].level.assign(level);
  ++nodes_[parent].children;
  enter(added, hash);
  return added;
}

std::uint32_t wildcard_trie::fresh_node(std::uint32_t parent) {
  std::uint32_t added = 0;
  if (spare_.empty()) {
    added = static_cast<std::uint32_t>(nodes_.size());
    nodes_.emplace_back();
  } else {
    added = spare_.back();
    spare_.pop_back();
  }
  nodes_[added].parent = parent;
  return added;
}

void wildcard_trie::remove(std::string_view filter) noexcept {
  bool is_below = false;
  const std::uint32_t at = find_node(filter, is_below);
  assert(at != nothing);
  (is_below ? nodes_[at].below : nodes_[at].here) = nothing;
  --filters_;
  prune(at);
}

void wildcard_trie::prune(std::uint32_t at) noexcept {
  while (at != 0) {
    const node& here = nodes_[at];
    if (here.children != 0 || here.plus != nothing || here.here != nothing || here.below != nothing) return;
    const std::uint32_t parent = here.parent;
    if (nodes_[parent].plus == at) {
      nodes_[parent].plus = nothing;
    } else {
      leave(at);
      --nodes_[parent].children;
    }
    nodes_[at] = node{};
    spare_.push_back(at);
    at = parent;
  }
}

void wildcard_trie::enter(std::uint32_t child, std::uint64_t hash) noexcept {
  const std::size_t mask = table_.size() - 1;
  std::size_t at = hash & mask;
  while (table_[at].child != 0) at = (at + 1) & mask;
  table_[at] = {static_cast<std::uint32_t>(hash >> 32U), child};
  ++entered_;
}

void wildcard_trie::leave(std::uint32_t child) noexcept {
  const std::size_t mask = table_.size() - 1;
  const auto home = [&](std::uint32_t n) {
    return static_cast<std::size_t>(hash_of(nodes_[n].parent, hash_(nodes_[n].level))) & mask;
  };
  std::size_t gap = home(child);
  while (table_[gap].child != child) gap = (gap + 1) & mask;
  table_[gap] = place{};
  --entered_;
  for (std::size_t at = (gap + 1) & mask; table_[at].child != 0; at = (at + 1) & mask) {
    if (((at - home(table_[at].child)) & mask) < ((at - gap) & mask)) continue;
    table_[gap] = std::exchange(table_[at], place{});
    gap = at;
  }
}

void wildcard_trie::grow() {
  const std::vector<place> old =
      std::exchange(table_, std::vector<place>(std::max<std::size_t>(16, table_.size() * 2)));
  entered_ = 0;
  for (const place& here : old) {
    if (here.child != 0) {
      const node& moved = nodes_[here.child];
      enter(here.child, hash_of(moved.parent, hash_(moved.level)));
    }
  }
}

bool wildcard_trie::walk(std::string_view name, std::vector<std::uint32_t>& numbers) const {
  // What is still to be visited: node, and above it the level of the topic to be matched next. A visit
  // leaves at most one behind and goes on a level deeper. One word each: written and read at once.
  std::array<std::uint64_t, most_levels + 2> open;
  std::size_t count = 0;
  topic_levels levels{name, hash_};
  const bool is_hidden = !name.empty() && name.front() == '$';
  std::uint32_t at = 0;
  std::uint32_t level = 0;
  for (std::uint32_t steps = 0; steps != step_budget; ++steps) {
    const node& here = nodes_[at];
    const bool may_be_wild = level != 0 || !is_hidden;
    std::uint32_t next = nothing;
    if (here.below != nothing && may_be_wild) numbers.push_back(here.below);
    if (levels.has(level)) {
      next = may_be_wild ? here.plus : nothing;
      if (here.children != 0) {
        levels.skip_hash(level);
        const std::uint32_t named = child(at, levels.text(level), hash_of(at, levels.hash(level)));
        if (named != nothing) {
          if (next != nothing) open[count++] = std::uint64_t{level + 1} << 32U | next;
          next = named;
        }
      }
    } else if (here.here != nothing) {
      numbers.push_back(here.here);
    }
    if (next != nothing) {
      at = next;
      ++level;
      continue;
    }
    if (count == 0) return true;
    at = static_cast<std::uint32_t>(open[--count]);
    level = static_cast<std::uint32_t>(open[count] >> 32U);
  }
  return false;
}

std::size_t wildcard_trie::owned() const noexcept {
  return nodes_.capacity() * sizeof(node) + spare_.capacity() * sizeof(std::uint32_t)
         + table_.capacity() * sizeof(place);
}

} // namespace troupe::protocol
