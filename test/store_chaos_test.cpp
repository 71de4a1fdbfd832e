// A broker that ends at any moment, clients that are cut at any moment, shards whose mail arrives in any
// possible order: what was acknowledged is there; on one shard, what is at QoS 2 is there once.
#include "support/ladder.hpp"
#include "support/shard_rig.hpp"

#include <troupe/runtime/record_store.hpp>

#include <gtest/gtest.h>

#include <array>
#include <memory>
#include <random>

namespace troupe {
namespace {

using protocol::qos;
using test::rig_client;
using test::shard_rig;

/// A ladder over the rig.
struct rig_ladder : test::ladder {
  using ladder::ladder;

  void cut() {
    wire.reset();
    down();
  }
  void dial(shard_rig& rig, std::size_t shard) {
    wire = std::make_unique<rig_client>(rig, shard);
    up(*wire, [this](const auto& bytes) { wire->deliver_later(bytes); });
  }
  /// Handles everything that came.
  void listen() {
    for (const test::seen& one : wire->overhear()) on(one);
    if (wire->is_closed()) cut();
  }

  std::unique_ptr<rig_client> wire{};
};

class store_chaos {
public:
  explicit store_chaos(unsigned seed) : chance_{seed}, most_shards_{seed % 2 == 0 ? 1U : 3U} { start(); }

  void run(int steps) {
    meet();
    for (int step = 0; step < steps; ++step) act();
    finish();
    judge();
  }

private:
  unsigned any(std::size_t below) { return static_cast<unsigned>(chance_() % below); }
  void start() {
    shards_ = 1 + any(most_shards_);
    rig_.emplace(broker_options{.max_inflight = static_cast<std::uint16_t>(3 + any(10)), .store = records_},
                 shards_);
    records_->hold(); // kept when the test says so
  }
  void crash() {
    for (rig_ladder* one : all_) one->cut();
    rig_.reset();
    records_->lose();
    start();
  }
  void keep(std::size_t sets) { records_->commit(sets); }
  void settle() {
    do {
      keep(100);
      rig_->settle();
      for (rig_ladder* one : all_)
        if (one->is_up()) one->listen();
    } while (records_->waiting() != 0 || rig_->mail() != 0);
  }
  /// Subscribers first: what is published before they are known is not for them.
  void meet() {
    for (rig_ladder* one : all_) one->dial(*rig_, any(shards_));
    for (int round = 0; round < 4; ++round) settle();
    for (const rig_ladder* one : all_) ASSERT_TRUE(one->is_idle());
  }
  void act() {
    rig_ladder& who = *all_[any(all_.size())];
    switch (any(40)) {
    case 0: return crash();
    case 1:
    case 2: return who.cut();
    case 3:
    case 4:
    case 5:
    case 6:
    case 7: return keep(1 + any(3));
    default: break;
    }
    if (!who.is_up()) return who.dial(*rig_, any(shards_));
    if (any(3) == 0) return who.listen();
    if (any(3) == 0 && writer_.may_publish())
      return writer_.publish(++last_, any(2) == 0 ? qos::at_least_once : qos::exactly_once);
    for (unsigned steps = any(6); steps != 0; --steps) rig_->step_somewhere(chance_());
  }
  void finish() {
    for (int round = 0; round < 200; ++round) {
      for (rig_ladder* one : all_)
        if (!one->is_up()) one->dial(*rig_, any(shards_));
      settle();
    }
    for (const rig_ladder* one : all_) EXPECT_TRUE(one->is_idle());
  }
  void judge() {
    // between the commits of two shards a repetition is not known yet
    const int most = most_shards_ == 1 ? 1 : 1'000;
    for (const rig_ladder* reader : {&one_, &two_}) test::expect_all_arrived(*reader, writer_, most);
    EXPECT_EQ(writer_.acknowledged.size(), static_cast<std::size_t>(last_));
  }

  std::mt19937_64 chance_;
  unsigned most_shards_;
  std::shared_ptr<runtime::memory_records> records_ = std::make_shared<runtime::memory_records>();
  std::optional<shard_rig> rig_{};
  brokerage::shard_number shards_ = 1;
  rig_ladder writer_{"writer", false};
  rig_ladder one_{"one", true};
  rig_ladder two_{"two", true};
  const std::array<rig_ladder*, 3> all_{&writer_, &one_, &two_};
  int last_ = 0;
};

class store_chaos_test : public testing::TestWithParam<unsigned> {};

TEST_P(store_chaos_test, loses_and_doubles_nothing_that_was_acknowledged) {
  for (unsigned seed = GetParam() * 50; seed < (GetParam() + 1) * 50 && !HasFailure(); ++seed) {
    SCOPED_TRACE(seed);
    store_chaos{seed}.run(400);
  }
}

INSTANTIATE_TEST_SUITE_P(seeds, store_chaos_test, testing::Range(0U, 8U));

} // namespace
} // namespace troupe
