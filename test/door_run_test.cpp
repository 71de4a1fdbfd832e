// Runs: publishes of one quality that a door lets join one request.
#include <troupe/actors/door.hpp>
#include <troupe/actors/pending.hpp>

#include "support/wire.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <string>
#include <thread>
#include <vector>

namespace {

using namespace troupe::actors;
using troupe::protocol::as_octets;
using troupe::protocol::as_text;
using troupe::protocol::publish;
using troupe::protocol::qos;
using troupe::protocol::version;

struct seen {
  std::string packet;
  qos quality = qos::at_most_once;
  bool is_retained = false;
  std::string topic;
  std::string payload;
  std::uint32_t cell = 0;
  friend bool operator==(const seen&, const seen&) = default;
};

class door_runs : public testing::TestWithParam<version> {
protected:
  door_runs() {
    door_.furnish(store_, slabs_, bounds_, GetParam());
    draw("t", "");
  }
  ~door_runs() override {
    for (door_run* run : runs_) take(*run);
  }

  /// What a publish does for which there was no room: a record of its own.
  void draw(std::string_view topic, const std::string& payload) {
    publish what;
    what.topic = topic;
    what.payload = as_octets(payload);
    auto* const record = door_.write(what, 0).record;
    ASSERT_NE(record, nullptr);
    bounds_.give_back({1, static_cast<std::int64_t>(record->weight())});
    record->memory->release(1);
  }
  /// As a client does it, with nobody else at the front door. Whether it joined.
  bool publish_one(std::string_view topic, std::string_view payload) {
    door::plain packet = door_.write_plain(topic, as_octets(payload), quality_, is_retained_);
    if (packet.frame == nullptr) { // the slab or the allowance is used up
      draw(topic, std::string(payload.size() + 2 * record_line, 'x'));
      packet = door_.write_plain(topic, as_octets(payload), quality_, is_retained_);
      EXPECT_NE(packet.frame, nullptr);
    }
    const cell where = door_.take_cell();
    expected_.push_back({support::dump({packet.frame, packet.size}), quality_, is_retained_,
                         std::string{topic}, std::string{payload}, where.at});
    if (door_.join_run(packet, where)) return true;
    runs_.push_back(&door_.begin_run(packet, where));
    return false;
  }
  /// What the session finds in it, one by one.
  std::vector<seen> take(door_run& run) {
    std::vector<seen> found;
    const door_run::extent whole = run.close();
    std::size_t octets = 0;
    run.for_each(whole, [&](publish_record& each) {
      const auto said = each.view();
      found.push_back({support::dump(each.packet()), each.quality, each.retain,
                       std::string{said.packet.topic}, std::string{as_text(said.packet.payload)},
                       each.who.as_cell().at});
      EXPECT_EQ(each.what, user_request::kind::publish);
      EXPECT_EQ(said.packet.quality, each.quality);
      EXPECT_EQ(said.packet.retain, each.retain);
      EXPECT_TRUE(said.packet.properties.empty());
      const cell where = each.who.as_cell();
      where.block->settle_success(where.at, where.round);
      troupe::pending<troupe::outcome>{where};
      octets += each.frame_size;
      bounds_.give_back({1, static_cast<std::int64_t>(each.weight())});
      each.memory->release(1);
    });
    EXPECT_EQ(octets, whole.octets);
    std::erase(runs_, &run);
    return found;
  }

  settlement_store store_;
  std::shared_ptr<troupe::runtime::slab_rack> slabs_ = std::make_shared<troupe::runtime::slab_rack>();
  quota bounds_{100'000, std::size_t{16} << 20U};
  door door_;
  std::vector<door_run*> runs_; // not taken yet
  std::vector<seen> expected_;
  qos quality_ = qos::at_most_once; // of the next publish
  bool is_retained_ = false;
};

TEST_P(door_runs, hold_what_was_published_in_order) {
  const std::string long_payload(300, 'p'); // two octets of remaining length
  EXPECT_FALSE(publish_one("t", "1"));
  EXPECT_TRUE(publish_one("another/topic", ""));
  EXPECT_TRUE(publish_one("another/topic", long_payload));
  EXPECT_TRUE(publish_one("t", "4"));
  ASSERT_EQ(runs_.size(), 1U);
  EXPECT_EQ(take(*runs_.front()), expected_);
}

TEST_P(door_runs, take_nobody_once_the_session_has_them) {
  EXPECT_FALSE(publish_one("t", "1"));
  EXPECT_TRUE(publish_one("t", "2"));
  EXPECT_EQ(take(*runs_.front()).size(), 2U);
  EXPECT_FALSE(publish_one("t", "3"));
  EXPECT_TRUE(publish_one("t", "4"));
  EXPECT_EQ(take(*runs_.front()), (std::vector<seen>{expected_[2], expected_[3]}));
}

TEST_P(door_runs, are_of_one_quality_retained_or_not) {
  const std::string long_payload(300, 'p');
  for (const qos quality : {qos::at_most_once, qos::at_least_once, qos::exactly_once}) {
    for (const bool is_retained : {false, true}) {
      quality_ = quality;
      is_retained_ = is_retained;
      EXPECT_FALSE(publish_one("t", "1"));
      EXPECT_TRUE(publish_one("another/topic", long_payload));
      EXPECT_TRUE(publish_one("t", ""));
      EXPECT_EQ(runs_.back()->quality(), quality);
      EXPECT_EQ(runs_.back()->is_retained(), is_retained);
    }
  }
  EXPECT_EQ(runs_.size(), 6U);
  std::vector<seen> found;
  while (!runs_.empty())
    for (seen& each : take(*runs_.front())) found.push_back(std::move(each));
  EXPECT_EQ(found, expected_);
}

TEST_P(door_runs, end_when_something_else_is_written) {
  EXPECT_FALSE(publish_one("t", "1"));
  draw("t", "2");
  EXPECT_FALSE(publish_one("t", "3"));
  EXPECT_EQ(take(*runs_.front()), (std::vector<seen>{expected_[0]}));
  EXPECT_EQ(take(*runs_.front()), (std::vector<seen>{expected_[1]}));
}

TEST_P(door_runs, end_when_the_door_was_told_so) {
  EXPECT_FALSE(publish_one("t", "1"));
  door_.set_run_ticket(std::nullopt);
  EXPECT_FALSE(publish_one("t", "2"));
}

TEST_P(door_runs, end_at_their_bound_at_the_slab_s_end_and_where_cells_do) {
  const std::string payload(200, 'x');
  for (int count = 0; count != 3'000; ++count) publish_one("t", payload);
  std::vector<seen> found;
  while (!runs_.empty()) {
    const std::size_t before = found.size();
    for (seen& each : take(*runs_.front())) found.push_back(std::move(each));
    EXPECT_LE((found.size() - before) * payload.size(), run_octets + payload.size());
  }
  EXPECT_EQ(found, expected_);
}

TEST_P(door_runs, give_back_what_was_drawn_for_them) {
  quota narrow{100, 100'000};
  door mine;
  mine.furnish(store_, slabs_, narrow, GetParam());
  for (int round = 0; round != 1'000; ++round) {
    const door::plain first = mine.write_plain("t", as_octets("x"), qos::at_most_once, false);
    if (first.frame == nullptr) { // the allowance ran out: write() draws anew
      publish what;
      what.topic = "t";
      auto* const record = mine.write(what, 0).record;
      ASSERT_NE(record, nullptr) << "something was not given back, round " << round;
      narrow.give_back({1, static_cast<std::int64_t>(record->weight())});
      record->memory->release(1);
      continue;
    }
    const cell where = mine.take_cell();
    door_run& run = mine.begin_run(first, where);
    const door_run::extent whole = run.close();
    where.block->settle_success(where.at, where.round);
    troupe::pending<troupe::outcome>{where};
    narrow.give_back({whole.count, static_cast<std::int64_t>(whole.weight())});
    run.memory()->release(whole.count);
  }
}

INSTANTIATE_TEST_SUITE_P(versions, door_runs, testing::Values(version::v3_1_1, version::v5_0),
                         [](const auto& each) { return each.param == version::v5_0 ? "v5" : "v3"; });

// Whoever joins while the session takes the run is in it, or is told that he is not.
TEST(door_run, is_taken_whole_while_others_join) {
  constexpr std::uint32_t all = 20'000;
  settlement_store store;
  settlement_block* const block = store.take(64);
  alignas(record_line) std::byte place[record_line];
  troupe::protocol::octet frame = 0x30;
  for (int round = 0; round != 50; ++round) {
    auto* const run = ::new (static_cast<void*>(place))
        door_run{asker{cell{block, 0, 1}}, &frame, 1, nullptr, version::v5_0};
    std::atomic<bool> has_begun{false};
    std::uint32_t joined = 1;
    std::thread door{[&] {
      for (std::uint32_t count = 1; count != all && run->join(1); ++count) {
        ++joined;
        has_begun.store(true, std::memory_order_release);
      }
      has_begun.store(true, std::memory_order_release);
    }};
    while (!has_begun.load(std::memory_order_acquire)) std::this_thread::yield();
    const door_run::extent whole = run->close();
    door.join();
    EXPECT_EQ(whole.count, joined);
    EXPECT_EQ(whole.octets, joined);
    EXPECT_FALSE(run->join(1));
  }
  store.give_back(block);
}

} // namespace
