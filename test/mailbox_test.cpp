#include "support/counting_bell.hpp"

#include <troupe/runtime/inlet.hpp>
#include <troupe/runtime/mailbox.hpp>
#include <troupe/runtime/outlet.hpp>

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <memory>
#include <stdexcept>
#include <thread>
#include <vector>

namespace {

using namespace troupe::runtime;
using troupe::test::counting_bell;

struct parcel {
  int number = 0;
  std::size_t weight = 0;
  std::size_t octets() const noexcept { return weight; }
};

template <class Item>
std::vector<int> drain_all(outlet<Item>& out) {
  std::vector<int> result;
  while (out.drain([&result](Item&& item) {
    if constexpr (std::is_same_v<Item, parcel>)
      result.push_back(item.number);
    else
      result.push_back(item);
  })) {}
  return result;
}

TEST(mailbox, rings_its_owner_only_on_the_step_from_idle_to_active) {
  counting_bell owner;
  mailbox<int> box{owner};
  outlet<int> out{box};
  inlet<int> in{box};
  EXPECT_EQ(in.push(1), offer::taken);
  EXPECT_EQ(owner.rings, 0); // an owner is born awake
  EXPECT_EQ(drain_all(out), (std::vector{1}));
  EXPECT_EQ(in.push(2), offer::taken);
  EXPECT_EQ(in.push(3), offer::taken);
  EXPECT_EQ(owner.rings, 1);
  EXPECT_EQ(drain_all(out), (std::vector{2, 3}));
  std::array many{4, 5, 6};
  EXPECT_EQ(in.push(std::span{many}).count, 3U);
  EXPECT_EQ(owner.rings, 2);
  EXPECT_EQ(drain_all(out), (std::vector{4, 5, 6}));
  const auto numbers = box.statistics();
  EXPECT_EQ(numbers.taken, 6U);
  EXPECT_EQ(numbers.waiting, 0U);
  EXPECT_EQ(numbers.bells, 2U);
  EXPECT_EQ(numbers.high_water, 3U);
}

TEST(mailbox, keeps_its_bound_in_items) {
  counting_bell owner;
  mailbox<int> box{owner, {.items = 3}};
  outlet<int> out{box};
  inlet<int> in{box};
  std::array numbers{1, 2, 3, 4, 5};
  const auto first = in.push(std::span{numbers});
  EXPECT_EQ(first.answer, offer::full);
  EXPECT_EQ(first.count, 3U);
  EXPECT_EQ(in.push(9), offer::full);
  EXPECT_EQ(box.statistics().full, 2U);
  EXPECT_EQ(drain_all(out), (std::vector{1, 2, 3}));
  EXPECT_EQ(in.push(std::span{numbers}.subspan(3)).answer, offer::taken);
  EXPECT_EQ(drain_all(out), (std::vector{4, 5}));
}

TEST(mailbox, keeps_its_bound_in_octets) {
  counting_bell owner;
  mailbox<parcel> box{owner, {.items = 100, .octets = 1000}};
  outlet<parcel> out{box};
  inlet<parcel> in{box};
  EXPECT_EQ(in.push({1, 600}), offer::taken);
  EXPECT_TRUE(in.has_room(400));
  EXPECT_FALSE(in.has_room(401));
  EXPECT_EQ(in.push({2, 401}), offer::full);
  EXPECT_EQ(in.push({3, 400}), offer::taken);
  EXPECT_EQ(in.push({4, 1}), offer::full);
  EXPECT_EQ(drain_all(out), (std::vector{1, 3}));
  EXPECT_EQ(in.push({5, 1}), offer::taken);
}

TEST(mailbox, lets_an_oversized_item_enter_alone) {
  counting_bell owner;
  mailbox<parcel> box{owner, {.items = 100, .octets = 1000}};
  outlet<parcel> out{box};
  inlet<parcel> in{box};
  EXPECT_EQ(in.push({1, 1}), offer::taken);
  EXPECT_EQ(in.push({2, 5000}), offer::full);
  EXPECT_EQ(drain_all(out), (std::vector{1}));
  std::array parcels{parcel{3, 10}, parcel{4, 5000}, parcel{5, 1}};
  EXPECT_EQ(in.push(std::span{parcels}).count, 1U);
  EXPECT_EQ(drain_all(out), (std::vector{3}));
  EXPECT_EQ(in.push(std::span{parcels}.subspan(1)).count, 1U);
  EXPECT_EQ(in.push({6, 0}), offer::full);
  EXPECT_EQ(drain_all(out), (std::vector{4}));
}

TEST(mailbox, counts_right_when_the_counters_wrap) {
  counting_bell owner;
  mailbox<parcel> box{owner, {.items = 1U << 20U, .octets = std::size_t{1} << 38U}};
  outlet<parcel> out{box};
  inlet<parcel> in{box};
  // 2^39 octets at most an item: four thousand of them wrap the octets' part again and again.
  for (int round = 0; round != 5000; ++round) {
    EXPECT_EQ(in.push({round, std::size_t{1} << 37U}), offer::taken);
    EXPECT_EQ(in.push({round, 3}), offer::taken);
    EXPECT_EQ(box.statistics().waiting, 2U);
    EXPECT_EQ(drain_all(out).size(), 2U);
    EXPECT_EQ(box.statistics().waiting, 0U);
  }
}

TEST(mailbox, takes_move_only_items_and_leaves_what_was_refused) {
  counting_bell owner;
  mailbox<std::unique_ptr<int>> box{owner, {.items = 1}};
  outlet<std::unique_ptr<int>> out{box};
  inlet<std::unique_ptr<int>> in{box};
  auto first = std::make_unique<int>(1);
  auto second = std::make_unique<int>(2);
  EXPECT_EQ(in.push(first), offer::taken);
  EXPECT_EQ(first, nullptr);
  EXPECT_EQ(in.push(second), offer::full);
  ASSERT_NE(second, nullptr);
  EXPECT_EQ(*second, 2);
}

TEST(mailbox, rings_whoever_waits_for_room_when_half_empty) {
  counting_bell owner;
  counting_bell producer;
  mailbox<int> box{owner, {.items = 8}};
  outlet<int> out{box};
  inlet<int> in{box};
  for (int number = 0; number != 8; ++number) EXPECT_EQ(in.push(number), offer::taken);
  EXPECT_EQ(in.push(8), offer::full);
  EXPECT_FALSE(in.when_room(producer));
  EXPECT_FALSE(in.when_room(producer)); // asking twice is asking once
  EXPECT_EQ(producer.references, 1);
  const auto ignore = [](int&&) {};
  EXPECT_TRUE(out.drain(3, ignore));
  EXPECT_EQ(producer.rings, 0);
  EXPECT_TRUE(out.drain(1, ignore));
  EXPECT_EQ(producer.rings, 1);
  EXPECT_EQ(producer.references, 0);
  EXPECT_TRUE(in.when_room(producer)); // there is room already
}

TEST(mailbox, closes_with_everything_handed_over) {
  counting_bell owner;
  counting_bell producer;
  mailbox<int> box{owner, {.items = 2}};
  outlet<int> out{box};
  inlet<int> in{box};
  std::array numbers{1, 2};
  EXPECT_EQ(in.push(std::span{numbers}).answer, offer::taken);
  EXPECT_FALSE(in.when_room(producer));
  std::vector<int> last;
  out.close([&last](int&& number) { last.push_back(number); });
  EXPECT_EQ(last, (std::vector{1, 2}));
  EXPECT_EQ(producer.rings, 1);
  EXPECT_EQ(in.push(3), offer::closed);
  EXPECT_EQ(in.push(std::span{numbers}).answer, offer::closed);
  EXPECT_TRUE(in.when_room(producer));
  EXPECT_FALSE(in.is_open());
}

TEST(mailbox, destroys_what_nobody_took) {
  counting_bell owner;
  auto item = std::make_shared<int>(1);
  {
    mailbox<std::shared_ptr<int>> box{owner};
    inlet<std::shared_ptr<int>> in{box};
    EXPECT_EQ(in.push(std::shared_ptr<int>{item}), offer::taken);
    EXPECT_EQ(item.use_count(), 2);
  }
  EXPECT_EQ(item.use_count(), 1);
}

TEST(mailbox, destroys_the_rest_of_a_chunk_when_a_handler_throws) {
  counting_bell owner;
  auto item = std::make_shared<int>(1);
  mailbox<std::shared_ptr<int>> box{owner};
  outlet<std::shared_ptr<int>> out{box};
  inlet<std::shared_ptr<int>> in{box};
  for (int count = 0; count != 5; ++count) EXPECT_EQ(in.push(std::shared_ptr<int>{item}), offer::taken);
  const auto fail = [](std::shared_ptr<int>&&) { throw std::runtime_error{"no"}; };
  EXPECT_THROW(static_cast<void>(out.drain(fail)), std::runtime_error);
  EXPECT_EQ(item.use_count(), 1);
}

TEST(mailbox, has_room_for_64_inlets_and_gives_places_back) {
  counting_bell owner;
  mailbox<int> box{owner};
  std::vector<inlet<int>> ways;
  for (std::size_t count = 0; count != mailbox<int>::most_inlets; ++count) ways.emplace_back(box);
  EXPECT_EQ(owner.references, 64);
  inlet<int> one_more{box};
  EXPECT_FALSE(one_more.is_open());
  EXPECT_EQ(one_more.push(1), offer::closed);
  ways.pop_back();
  inlet<int> again{box};
  EXPECT_TRUE(again.is_open());
  EXPECT_EQ(again.push(1), offer::taken);
}

TEST(mailbox, does_not_give_away_a_place_whose_holder_still_waits) {
  counting_bell owner;
  counting_bell first_producer;
  counting_bell second_producer;
  mailbox<int> box{owner, {.items = 1}};
  outlet<int> out{box};
  {
    inlet<int> gone{box};
    EXPECT_EQ(gone.push(1), offer::taken);
    EXPECT_FALSE(gone.when_room(first_producer));
  }
  inlet<int> next{box};
  EXPECT_FALSE(next.when_room(second_producer));
  EXPECT_EQ(drain_all(out), (std::vector{1}));
  EXPECT_EQ(second_producer.rings, 1);
}

TEST(mailbox, serves_every_inlet_in_turn) {
  counting_bell owner;
  mailbox<int> box{owner};
  outlet<int> out{box};
  inlet<int> greedy{box};
  inlet<int> modest{box};
  for (int count = 0; count != 1000; ++count) EXPECT_EQ(greedy.push(1), offer::taken);
  EXPECT_EQ(modest.push(2), offer::taken);
  std::size_t before = 0;
  bool seen = false;
  while (!seen)
    EXPECT_TRUE(out.drain(64, [&](int&& number) {
      seen = seen || number == 2;
      before += seen ? 0U : 1U;
    }));
  EXPECT_LE(before, 128U);
}

// Several producers and an owner that really sleeps: nothing lost, order kept, every item once.
TEST(mailbox, keeps_order_and_loses_nothing_between_threads) {
  constexpr int producers = 4;
  constexpr int each = 20'000;
  struct sleeping_bell final : bell {
    void ring() noexcept override {
      rung.store(1);
      rung.notify_one();
    }
    void retain() noexcept override {}
    void release() noexcept override {}
    std::atomic<int> rung{0};
  } owner;
  struct entry {
    int producer;
    int number;
  };
  mailbox<entry> box{owner, {.items = 256}};
  outlet<entry> out{box};
  std::vector<std::thread> threads;
  for (int producer = 0; producer != producers; ++producer)
    threads.emplace_back([&box, producer] {
      inlet<entry> in{box};
      for (int number = 0; number != each;) {
        if (in.push({producer, number}) == offer::taken)
          ++number;
        else
          std::this_thread::yield();
      }
    });
  std::array<int, producers> next{};
  int total = 0;
  bool ordered = true;
  while (total != producers * each) {
    while (out.drain([&](entry&& item) {
      ordered = ordered && item.number == next[static_cast<std::size_t>(item.producer)]++;
      ++total;
    })) {}
    if (total == producers * each) break;
    owner.rung.wait(0);
    owner.rung.store(0);
  }
  for (auto& thread : threads) thread.join();
  EXPECT_TRUE(ordered);
  EXPECT_EQ(box.statistics().taken, static_cast<std::uint64_t>(producers * each));
  EXPECT_LE(box.statistics().high_water, 256U + producers);
}

// Producers that push while the owner closes: what was answered `taken` is handed over.
TEST(mailbox, hands_over_everything_taken_while_closing) {
  for (int round = 0; round != 200; ++round) {
    counting_bell owner;
    mailbox<int> box{owner};
    outlet<int> out{box};
    std::atomic<int> taken{0};
    std::atomic<int> ready{0};
    std::vector<std::thread> threads;
    for (int producer = 0; producer != 2; ++producer)
      threads.emplace_back([&] {
        inlet<int> in{box};
        ready.fetch_add(1);
        while (in.push(1) == offer::taken) taken.fetch_add(1);
      });
    while (ready.load() != 2) std::this_thread::yield();
    int seen = 0;
    out.close([&seen](int&&) { ++seen; });
    for (auto& thread : threads) thread.join();
    EXPECT_EQ(seen, taken.load());
  }
}

} // namespace
