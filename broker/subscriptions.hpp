// subscriptions: this shard's copy of who wants what.
//
// Lives here: subscriber (a session of this shard, a $share group that this shard owns, or another shard),
//          route (everybody one topic leads to), subscriptions.
// Holds:   a session that several of its filters lead to stands in a route once, with the highest quality
//          and all identifiers. Routes are cached by topic; any change makes all of them stale.
// Threads: belongs to one shard.
// Errors:  add() answers errc::filter_too_complex for filters beyond the caps of the index.
// Costs:   a route that is known: one hash, one comparison. Else one look-up in the index. No allocation
//          once the cache has seen the topics.
#pragma once

#include "peer_session.hpp"
#include "shared_group.hpp"

#include "../protocol/result.hpp"
#include "../protocol/topic_index.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace troupe::brokerage {

/// Who wants a topic: a tagged pointer or number.
class subscriber {
public:
  enum class kind : std::uintptr_t { session = 0, group = 1, shard = 2 };

  explicit subscriber(peer_session& who) noexcept : raw_{reinterpret_cast<std::uintptr_t>(&who)} {}
  explicit subscriber(shared_group& who) noexcept : raw_{reinterpret_cast<std::uintptr_t>(&who) | 1U} {}
  explicit subscriber(std::uint32_t shard) noexcept : raw_{std::uintptr_t{shard} << 2U | 2U} {}

  kind what() const noexcept { return static_cast<kind>(raw_ & 3U); }
  peer_session* session() const noexcept { return reinterpret_cast<peer_session*>(raw_); }
  shared_group* group() const noexcept { return reinterpret_cast<shared_group*>(raw_ & ~std::uintptr_t{3}); }
  std::uint32_t shard() const noexcept { return static_cast<std::uint32_t>(raw_ >> 2U); }
  bool operator==(const subscriber&) const noexcept = default;

private:
  std::uintptr_t raw_;
};

/// Everybody one topic leads to.
struct route {
  std::string topic{};
  std::uint64_t edition = 0; // of the subscriptions it was made from; 0 = of none
  std::uint64_t shards = 0;  // bit n: shard n has somebody
  std::vector<target> targets{};
  std::vector<shared_group*> groups{};
  std::vector<std::uint32_t> identifiers{}; // of all targets, target by target

  bool is_empty() const noexcept { return shards == 0 && targets.empty() && groups.empty(); }
};

class subscriptions {
public:
  subscriptions();

  /// True when the pair is new; false when its grant was replaced.
  protocol::result<bool> add(std::string_view filter, subscriber who, const grant& how = {});
  bool remove(std::string_view filter, subscriber who);
  /// Pairs, other shards included.
  std::size_t size() const noexcept { return index_.size(); }

  /// The route of a valid topic name. Valid until the next call of any member but edition().
  const route& find(std::string_view topic);
  /// Changes with everything that makes routes stale.
  std::uint64_t edition() const noexcept { return edition_; }

  /// Counts who of this shard wants `filter`. True on the step from nobody to somebody.
  bool begin_interest(std::string_view filter);
  /// True on the step from somebody to nobody.
  bool end_interest(std::string_view filter);

private:
  static constexpr std::size_t cache_size = 1'024; // routes; a power of two

  void compile(std::string_view topic, route& into);
  void add_target(route& into, peer_session& who, const grant& how);
  void settle_identifiers(route& into);

  protocol::topic_index<subscriber, grant> index_{};
  std::vector<route> cache_;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> found_{}; // place in the route, identifier
  std::unordered_map<std::string, std::uint32_t> interest_{};
  std::uint64_t edition_ = 1;
  std::uint64_t mark_ = 0;
};

} // namespace troupe::brokerage
