// topic_index: filters -> whoever wants a topic; shared by the broker's shards and the client's
// dispatcher.
//
// Lives here: topic_index<Who, Value>: an exact table whose records also remember which wildcard filters
//          their topic matches, and a wildcard_trie that finds it out.
// Holds:   a (filter, who) pair is there at most once; a look-up reports every matching pair once. What a
//          record remembers is void as soon as a wildcard filter comes or goes that might touch it: one
//          count for each of 256 first levels, one for filters that start with a wildcard. Topics that
//          nobody subscribed by name are remembered when they come again, a bounded number of them, the
//          least used going first.
// Threads: one at a time; a look-up writes too.
// Errors:  insert refuses filters beyond the caps (levels, wildcards) with errc::filter_too_complex; a
//          look-up beyond its step budget is incomplete and counted: exhausted().
// Costs:   a remembered look-up is one hash and one probe; nothing allocates on it. Results are spans of
//          the stored lists, valid until the next change.
#pragma once

#include "errc.hpp"
#include "subscriber_list.hpp"
#include "topic.hpp"
#include "topic_hash.hpp"
#include "topic_table.hpp"
#include "wildcard_trie.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace troupe::protocol {

template <class Who, class Value = std::monostate>
class topic_index {
public:
  struct entry {
    Who who;
    [[no_unique_address]] Value value;
  };

  explicit topic_index(std::uint64_t seed = unpredictable_seed())
      : hash_{seed}, trie_{hash_.join(seed, 1)}, table_{seed} {}

  /// `filter` is valid and not shared. True = new, false = the value was replaced.
  result<bool> insert(std::string_view filter, Who who, Value value = {}) {
    const entry added{who, value};
    if (!has_wildcard(filter)) return count_new(exact_list(filter).put(added));
    std::uint32_t number = trie_.find(filter);
    if (number == wildcard_trie::nothing) {
      number = take_list();
      if (const result<void> put = trie_.put(filter, number); !put) {
        spare_.push_back(number);
        return put.error();
      }
      outdate(filter);
    }
    return count_new(lists_[number].put(added));
  }

  /// False when the pair was not there.
  bool erase(std::string_view filter, Who who) {
    if (has_wildcard(filter)) return erase_wildcard(filter, who);
    record* const known = table_.find(filter, table_.hash(filter));
    if (known == nullptr || !known->list.remove(who)) return false;
    if (known->list.empty()) table_.drop(known);
    --pairs_;
    return true;
  }

  /// Calls `f(std::span<const entry>)` for every list whose filter matches `name`; no pair twice.
  template <class F>
  void match_lists(std::string_view name, F f) {
    const std::uint64_t hash = table_.hash(name);
    record* known = table_.find(name, hash);
    if (known != nullptr && !known->list.empty()) f(known->list.entries());
    if (trie_.size() == 0) return;
    if (known == nullptr) known = table_.remember(name, hash);
    if (known == nullptr) {
      found_.clear();
      walk(name);
      for (const std::uint32_t number : found_) f(lists_[number].entries());
      return;
    }
    if (const std::uint64_t edition = edition_of(known->stripe); known->edition != edition) [[unlikely]]
      refresh(*known, name, edition);
    for (const std::uint32_t number : known->numbers()) f(lists_[number].entries());
  }

  /// Calls `f(const entry&)` for each pair whose filter matches `name`.
  template <class F>
  void match(std::string_view name, F f) {
    match_lists(name, [&](std::span<const entry> list) {
      for (const entry& each : list) f(each);
    });
  }

  /// Pairs.
  std::size_t size() const noexcept { return pairs_; }
  /// Filters with wildcards.
  std::size_t wildcard_filters() const noexcept { return trie_.size(); }
  /// Look-ups that the step budget cut short.
  std::uint64_t exhausted() const noexcept { return exhausted_; }
  /// Topics remembered that nobody subscribed by name.
  std::size_t remembered() const noexcept { return table_.remembered(); }

private:
  using list_type = subscriber_list<entry>;
  using record = topic_record<list_type>;

  list_type& exact_list(std::string_view filter) {
    return table_.subscribed(filter, table_.hash(filter)).list;
  }

  bool count_new(bool is_new) noexcept {
    pairs_ += is_new ? 1 : 0;
    return is_new;
  }

  bool erase_wildcard(std::string_view filter, const Who& who) {
    const std::uint32_t number = trie_.find(filter);
    if (number == wildcard_trie::nothing || !lists_[number].remove(who)) return false;
    if (lists_[number].empty()) {
      trie_.remove(filter);
      spare_.push_back(number);
      outdate(filter);
    }
    --pairs_;
    return true;
  }

  std::uint32_t take_list() {
    if (spare_.empty()) {
      lists_.emplace_back();
      return static_cast<std::uint32_t>(lists_.size() - 1);
    }
    const std::uint32_t number = spare_.back();
    spare_.pop_back();
    return number;
  }

  // Only sums are compared, and both parts only rise: equal sums mean that neither moved.
  std::uint64_t edition_of(std::uint8_t stripe) const noexcept { return everywhere_ + stripes_[stripe]; }
  void outdate(std::string_view filter) noexcept {
    if (filter.front() == '+' || filter.front() == '#')
      ++everywhere_;
    else
      ++stripes_[table_.stripe_of(filter)];
  }

  void walk(std::string_view name) {
    if (!trie_.walk(name, found_)) ++exhausted_;
  }
  void refresh(record& known, std::string_view name, std::uint64_t edition) {
    found_.clear();
    walk(name);
    known.keep_numbers(found_);
    known.edition = edition;
  }

  topic_hash hash_;
  wildcard_trie trie_;
  topic_table<record> table_;
  std::vector<list_type> lists_; // of the wildcard filters, by number
  std::vector<std::uint32_t> spare_;
  std::vector<std::uint32_t> found_;
  std::array<std::uint64_t, 256> stripes_{};
  std::uint64_t everywhere_ = 1;
  std::uint64_t exhausted_ = 0;
  std::size_t pairs_ = 0;
};

} // namespace troupe::protocol
