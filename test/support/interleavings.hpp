// interleavings: walks through everything that two producers and an owner can do to a doorbell.
//
// Lives here: model_atomics (what the shipped doorbell runs on), explorer (every interleaving of two
//          producers with two pushes each and one owner, store buffers included).
// Holds:   a thread is cut into rounds: straight code whose operations are played back from a list. The
//          first one that is not on the list yet is the thread's next step; what follows it in that round
//          is ignored. So a state is plain data, and states met twice are walked once.
// Threads: one; the threads of the model are data.
#pragma once

#include <troupe/runtime/doorbell.hpp>

#include <array>
#include <atomic>
#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace support::interleavings {

inline constexpr std::size_t producers = 2;
inline constexpr std::size_t pushes = 2;
inline constexpr std::size_t threads = producers + 1;
inline constexpr std::size_t owner = producers;

enum class place : std::uint8_t { pushed, state, queue, rings };

// One store that its thread has made and the others do not see yet.
struct pending_store {
  place where;
  std::uint64_t value;
};

struct thread_state {
  std::vector<pending_store> buffer;
  std::vector<std::uint64_t> played; // results of this round's operations so far
  std::size_t rounds = 0;            // finished ones
  bool asleep = false;
};

struct world {
  std::uint64_t pushed = 0;
  std::uint64_t state = static_cast<std::uint64_t>(troupe::runtime::owner_state::active);
  std::uint64_t queued = 0; // items that have become visible in the queue
  std::uint64_t taken = 0;  // the owner's
  std::uint64_t rings = 0;
  std::array<thread_state, threads> thread;

  std::uint64_t& at(place where) {
    switch (where) {
    case place::pushed: return pushed;
    case place::state: return state;
    case place::queue: return queued;
    case place::rings: return rings;
    }
    return rings;
  }
  std::string key() const {
    std::string result;
    const auto add = [&result](std::uint64_t value) { result.push_back(static_cast<char>(value)); };
    for (const auto value : {pushed, state, queued, taken, rings}) add(value);
    for (const auto& each : thread) {
      add(each.rounds);
      add(each.asleep ? 1 : 0);
      add(each.buffer.size());
      for (const auto& store : each.buffer) {
        add(static_cast<std::uint64_t>(store.where));
        add(store.value);
      }
      add(each.played.size());
      for (const auto value : each.played) add(value);
    }
    return result;
  }
};

// What a thread wants to do next.
struct operation {
  enum class sort : std::uint8_t {
    none,
    load,
    store,
    add,
    subtract,
    compare,
    exchange,
    fence,
    take
  } what = {};
  place where = {};
  std::uint64_t operand = 0;
  std::uint64_t expected = 0;
};

// The round being played: the model atomics of one thread lead here.
struct player {
  const std::vector<std::uint64_t>* played = nullptr;
  std::size_t next = 0;
  operation wanted;

  std::uint64_t perform(const operation& what) {
    if (wanted.what != operation::sort::none) return 0; // beyond the present
    if (next < played->size()) return (*played)[next++];
    wanted = what;
    return 0;
  }
};

inline player* playing = nullptr; // the test has one thread

template <bool HasFence>
struct model_atomics {
  template <class Value>
  class atomic {
  public:
    explicit atomic(Value) noexcept {}
    Value load(std::memory_order) const noexcept { return ask(operation::sort::load); }
    void store(Value value, std::memory_order) noexcept { ask(operation::sort::store, value); }
    Value fetch_add(Value value, std::memory_order) noexcept { return ask(operation::sort::add, value); }
    Value fetch_sub(Value value, std::memory_order) noexcept { return ask(operation::sort::subtract, value); }
    Value exchange(Value value, std::memory_order) noexcept { return ask(operation::sort::exchange, value); }
    bool compare_exchange_strong(Value& expected, Value value, std::memory_order) noexcept {
      const auto found = ask(operation::sort::compare, value, expected);
      const bool equal = found == expected;
      expected = found;
      return equal;
    }

  private:
    static constexpr place where = sizeof(Value) == sizeof(std::uint64_t) ? place::pushed : place::state;
    static Value ask(operation::sort what, Value operand = {}, Value expected = {}) noexcept {
      return static_cast<Value>(playing->perform(
          {what, where, static_cast<std::uint64_t>(operand), static_cast<std::uint64_t>(expected)}));
    }
  };
  static void full_fence() noexcept {
    if constexpr (HasFence) playing->perform({operation::sort::fence});
  }
};

// One push. Announce, enqueue (a store that may linger in the buffer), ring.
template <class Bell>
void produce() {
  Bell bell;
  const auto mine = bell.announce(1);
  playing->perform({operation::sort::store, place::queue, 1});
  if (bell.must_ring(mine)) playing->perform({operation::sort::add, place::rings, 1});
}

struct owner_round {
  std::uint64_t taken; // in this round
  bool sleeps;
};

template <class Bell, class Owner>
class explorer {
public:
  /// The number of states in which everybody has come to rest and items lie in the queue.
  std::size_t lost() const { return lost_; }
  std::size_t states() const { return seen_.size(); }
  std::size_t ends() const { return ends_; }

  void explore() {
    std::vector<world> open{world{}};
    while (!open.empty()) {
      auto present = std::move(open.back());
      open.pop_back();
      if (!seen_.insert(present.key()).second) continue;
      bool moved = false;
      for (std::size_t index = 0; index != threads; ++index) {
        moved = flush_one(present, index, open) || moved;
        moved = step(present, index, open) || moved;
      }
      if (moved) continue;
      ++ends_;
      if (present.taken != producers * pushes) ++lost_;
    }
  }

private:
  // The oldest store of a thread becomes visible.
  static bool flush_one(const world& from, std::size_t index, std::vector<world>& open) {
    if (from.thread[index].buffer.empty()) return false;
    auto next = from;
    auto& buffer = next.thread[index].buffer;
    const auto store = buffer.front();
    buffer.erase(buffer.begin());
    if (store.where == place::queue)
      next.queued += store.value;
    else
      next.at(store.where) = store.value;
    open.push_back(std::move(next));
    return true;
  }

  static bool step(const world& from, std::size_t index, std::vector<world>& open) {
    auto next = from;
    auto& self = next.thread[index];
    if (index != owner && self.rounds == pushes) return false;
    if (self.asleep) {
      if (next.rings == 0) return false;
      next.rings = 0; // several rings before he has looked are one
      self.asleep = false;
      open.push_back(std::move(next));
      return true;
    }
    player round{&from.thread[index].played, 0, {}};
    playing = &round;
    owner_round result{};
    if (index == owner)
      result = Owner::template play<Bell>(from.taken);
    else
      produce<Bell>();
    if (round.wanted.what != operation::sort::none) {
      if (!perform(next, index, round.wanted)) return false;
    } else {
      self.played.clear();
      if (index == owner) {
        next.taken += result.taken;
        self.asleep = result.sleeps;
      } else {
        ++self.rounds;
      }
    }
    open.push_back(std::move(next));
    return true;
  }

  // False: it has to wait until the thread's stores are visible.
  static bool perform(world& in, std::size_t index, const operation& what) {
    using sort = operation::sort;
    auto& self = in.thread[index];
    const bool is_full = what.what != sort::load && what.what != sort::store && what.what != sort::take;
    if (is_full && !self.buffer.empty()) return false;
    std::uint64_t result = 0;
    switch (what.what) {
    case sort::none:
    case sort::fence: break;
    case sort::load:
      result = in.at(what.where);
      for (const auto& store : self.buffer)
        if (store.where == what.where) result = store.value;
      break;
    case sort::store: self.buffer.push_back({what.where, what.operand}); break;
    case sort::add: result = std::exchange(in.at(what.where), in.at(what.where) + what.operand); break;
    case sort::subtract: result = std::exchange(in.at(what.where), in.at(what.where) - what.operand); break;
    case sort::exchange: result = std::exchange(in.at(what.where), what.operand); break;
    case sort::compare:
      result = in.at(what.where);
      if (result == what.expected) in.at(what.where) = what.operand;
      break;
    case sort::take: result = std::exchange(in.queued, 0); break;
    }
    self.played.push_back(result);
    return true;
  }

  std::set<std::string> seen_;
  std::size_t lost_ = 0;
  std::size_t ends_ = 0;
};

} // namespace support::interleavings
