// retained: the last word on each topic.
//
// Lives here: retained: topic -> the message kept for whoever subscribes later; stamp, which of two
//          words is the later one.
// Holds:   every shard has all retained messages. Shards tell each other what they set; of two words for
//          one topic the one with the higher stamp stays, on every shard the same, in whatever order
//          they arrive. A topic that was cleared keeps its stamp until forget_cleared().
// Threads: belongs to one shard.
// Units:   messages. The stamps of at most 65,536 cleared topics are kept.
// Errors:  a full store refuses new topics; known ones can still be replaced.
// Costs:   setting and exact look-up are logarithmic; a look-up with wildcards walks the topics that begin
//          with what stands before the first wildcard, in portions of the caller's choice.
#pragma once

#include "kept_message.hpp"

#include "../protocol/topic.hpp"

#include <compare>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace troupe::brokerage {

/// A Lamport clock's reading: counts what the shard has seen; the shard decides between equals.
struct stamp {
  std::uint64_t count = 0;
  std::uint32_t shard = 0;
  auto operator<=>(const stamp&) const noexcept = default;
};

class retained {
public:
  /// `is_shared`: other shards have stores of their own, so that stamps outlive cleared messages.
  retained(std::size_t most, bool is_shared) : most_{most}, is_shared_{is_shared} {}

  /// The stamp for a word that this shard says now.
  stamp next_stamp(std::uint32_t shard) noexcept { return {++clock_, shard}; }
  /// Keeps `word`, or clears the topic when the payload is empty [MQTT-3.3.1-6]. False when the store is
  /// full.
  bool set(const message_ref& word, const stamp& when);
  /// The shard that writes down what is said on `topic`.
  static std::uint32_t keeper_of(std::string_view topic, std::uint32_t shards) noexcept {
    return static_cast<std::uint32_t>(std::hash<std::string_view>{}(topic) % shards);
  }
  /// Whether the word of `when` is the one that stands now, or that cleared the topic.
  bool is_latest(const message_ref& word, const stamp& when) const noexcept {
    const auto place = words_.find(word->packet().topic);
    return place == words_.end() ? word->packet().payload.empty() : place->second.when == when;
  }
  /// Drops the stamps of topics cleared so long ago that no word about them can still be on its way.
  void forget_cleared();
  /// Messages kept.
  std::size_t size() const noexcept { return size_; }

  /// Goes on with a walk over what `filter` matches: begins behind `last` (or at the beginning, when not
  /// `is_begun`), looks at no more than `budget` topics, calls `f(const message_ref&)` for each match
  /// until f answers false (that one will come again). True when the walk is over.
  template <class F>
  bool walk(std::string_view filter, std::string& last, bool& is_begun, std::size_t budget, F f) const;

private:
  struct entry {
    message_ref message{}; // empty: cleared
    stamp when{};
  };
  using table = std::map<std::string, entry, std::less<>>;
  static constexpr std::size_t most_cleared = 65'536;

  void clear(table::iterator place);
  /// What every topic that `filter` can match begins with.
  static std::string_view stem(std::string_view filter) noexcept;

  table words_{};
  std::vector<std::string> cleared_{}; // since the last forget_cleared()
  std::vector<std::string> cleared_before_{};
  std::uint64_t clock_ = 0;
  std::size_t size_ = 0;
  std::size_t most_;
  bool is_shared_;
};

template <class F>
bool retained::walk(std::string_view filter, std::string& last, bool& is_begun, std::size_t budget,
                    F f) const {
  const std::string_view beginning = stem(filter);
  auto at = is_begun ? words_.upper_bound(last) : words_.lower_bound(beginning);
  for (; at != words_.end() && at->first.starts_with(beginning); ++at) {
    if (budget-- == 0) return false;
    const auto& [topic, found] = *at;
    if (found.message && protocol::matches(filter, topic) && !f(found.message)) return false;
    if (topic == filter) return true; // no wildcard: there is only one
    last = topic;
    is_begun = true;
  }
  return true;
}

} // namespace troupe::brokerage
