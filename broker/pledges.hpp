// pledges: what has to be kept, here and on other shards, before somebody is told.
//
//   begin_event .. (writes, posts) .. end_event --> open --batch kept and all posts stored--> redeemed
//
// Lives here: pledges: of each event of a shard that wrote something or posted something that other shards
//          have to write; and of each piece of mail that another shard wants to know stored.
// Holds:   a pledge waits for what follows from its own event only, so none waits for itself, however mail
//          goes round. Peers wait for the pledge of the event that made them speak.
// Threads: belongs to one shard.
// Errors:  none.
// Costs:   one entry per event that pledges something.
#pragma once

#include "held_output.hpp"
#include "routing_messages.hpp"
#include "store.hpp"

#include <cstdint>
#include <functional>
#include <unordered_map>
#include <utility>
#include <vector>

namespace troupe::brokerage {

class pledges {
public:
  explicit pledges(store& durable) noexcept : store_{durable} {}

  // -- an event ---------------------------------------------------------------
  void begin_event() noexcept { current_ = {.mark = store_.written()}; }
  /// What is said in this event stands for what was written in earlier ones.
  void rely_on_earlier() noexcept { current_.batch = store_.outstanding(); }
  /// What those who spoke in this event wait for; 0: nothing.
  pledge_number end_event();

  // -- mail -------------------------------------------------------------------
  /// What is done from now on until end_mail() is for a piece of mail that `from` wants to know stored.
  struct bracket {
    std::uint64_t mark = 0;
    std::uint64_t batch = 0;
    std::vector<std::uint64_t> posts{};
    std::vector<std::function<void()>> then{};
  };
  bracket begin_mail();
  void end_mail(bracket outer, shard_number from, std::uint64_t serial);
  /// The same for what nobody has asked for.
  void end_mail(bracket outer);
  /// A number to be posted along, for what another shard has to store.
  std::uint64_t post() {
    current_.posts.push_back(++last_serial_);
    return last_serial_;
  }
  /// Whether other shards have something to store of what is done now.
  bool has_posts() const noexcept { return !current_.posts.empty(); }
  /// To be done when all of that is stored.
  void when_stored(std::function<void()> what) { current_.then.push_back(std::move(what)); }
  void on_stored(const stored& news);
  /// More batches have been kept.
  void on_kept();
  /// Calls `f(shard, stored&&)` for everything that others are to know by now.
  template <class F>
  void tell(F f) {
    for (auto& [to, serials] : answers_)
      if (!serials.empty()) f(to, stored{std::exchange(serials, {})});
  }

  // -- peers ------------------------------------------------------------------
  bool is_redeemed(pledge_number which) const noexcept { return !open_.contains(which); }
  void wait(pledge_number which, peer_number who) { open_.at(which).peers.push_back(who); }
  /// Those for whom something was redeemed since the last call.
  std::vector<peer_number> take_redeemed() { return std::exchange(redeemed_, {}); }

private:
  struct pledge {
    std::uint64_t batch = 0;  // 0: none
    std::size_t posts = 0;    // not stored yet
    shard_number from = 0;    // who wants to know,
    std::uint64_t serial = 0; // and under which number; 0: nobody
    std::vector<peer_number> peers{};
    std::vector<std::function<void()>> then{};
  };

  pledge_number open(bracket&& what, pledge&& made);
  bool is_due(const pledge& what) const noexcept {
    return what.posts == 0 && (what.batch == 0 || store_.is_kept(what.batch));
  }
  void redeem(pledge_number which);

  store& store_;
  bracket current_{};
  std::unordered_map<pledge_number, pledge> open_{};
  std::unordered_map<std::uint64_t, pledge_number> posts_{}; // whose they are
  std::unordered_map<shard_number, std::vector<std::uint64_t>> answers_{};
  std::vector<pledge_number> by_batch_{}; // those that wait for a batch, in its order
  std::vector<peer_number> redeemed_{};
  pledge_number last_ = 0;
  std::uint64_t last_serial_ = 0;
};

} // namespace troupe::brokerage
