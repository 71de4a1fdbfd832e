#include <troupe/runtime/front_door.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <coroutine>
#include <functional>
#include <memory>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

namespace {

using namespace troupe::runtime;

struct silent_bell final : bell {
  void ring() noexcept override {}
  void retain() noexcept override {}
  void release() noexcept override {}
};

struct nothing {};

// What belongs to a door is used by one thread at a time.
struct till {
  int uses = 0;
  std::unique_ptr<int> money = std::make_unique<int>(0);
};

template <class Item>
std::vector<Item> drain_all(front_outlet<Item>& out) {
  std::vector<Item> result;
  while (out.drain(default_budget, [&result](Item&& item) { result.push_back(item); })) {}
  return result;
}

std::vector<int> up_to(int count) {
  std::vector<int> result;
  for (int number = 0; number != count; ++number) result.push_back(number);
  return result;
}

class tickets : public testing::Test {
protected:
  silent_bell owner;
  mailbox<ticketed<int>> box{owner};
  front_door<int, nothing> door{box};
  front_outlet<int> out{box};

  void call(int number) { EXPECT_EQ(door.enter().push({0, number}), offer::taken); }
};

TEST_F(tickets, keep_the_order_of_calls_ordered_by_join) {
  constexpr int calls = 500;
  for (int number = 0; number != calls; ++number) {
    if (number % 2 == 0)
      call(number);
    else
      std::thread{[this, number] { call(number); }}.join();
  }
  EXPECT_EQ(drain_all(out), up_to(calls));
}

// A coroutine that goes on on a new thread after each step.
struct wanderer {
  struct promise_type {
    wanderer get_return_object() { return {std::coroutine_handle<promise_type>::from_promise(*this)}; }
    std::suspend_always initial_suspend() noexcept { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() { std::terminate(); }
  };
  std::coroutine_handle<promise_type> handle;
};

TEST_F(tickets, keep_the_order_of_a_coroutine_that_changes_threads) {
  constexpr int calls = 200;
  const auto walk = [this]() -> wanderer {
    for (int number = 0; number != calls; ++number) {
      call(number);
      co_await std::suspend_always{};
    }
  };
  auto walker = walk();
  // Two threads take turns, so that several doors are in use.
  std::atomic<int> turn{0};
  const auto carry = [&](int mine) {
    for (;;) {
      while (turn.load(std::memory_order_acquire) % 2 != mine) std::this_thread::yield();
      if (walker.handle.done()) break;
      walker.handle.resume();
      turn.fetch_add(1, std::memory_order_release);
    }
    turn.fetch_add(1, std::memory_order_release);
  };
  std::thread other{[&] { carry(1); }};
  carry(0);
  other.join();
  walker.handle.destroy();
  EXPECT_EQ(drain_all(out), up_to(calls));
}

TEST_F(tickets, keep_order_while_the_owner_drains) {
  constexpr int threads = 20; // more than there are doors
  constexpr int each = 2'000;
  std::vector<std::thread> callers;
  std::atomic<int> running{threads};
  for (int index = 0; index != threads; ++index)
    callers.emplace_back([this, index, &running] {
      for (int number = 0; number != each; ++number) call(index * each + number);
      running.fetch_sub(1);
    });
  std::vector<int> next(threads, 0);
  int total = 0;
  bool ordered = true;
  while (total != threads * each)
    static_cast<void>(out.drain(default_budget, [&](int&& item) {
      ordered = ordered && item % each == next[static_cast<std::size_t>(item / each)]++;
      ++total;
    }));
  for (auto& caller : callers) caller.join();
  EXPECT_TRUE(ordered);
}

TEST_F(tickets, are_consecutive_within_one_call) {
  std::vector<ticketed<int>> many;
  for (int number = 0; number != 100; ++number) many.push_back({0, number});
  EXPECT_EQ(door.enter().push_many(many).count, 100U);
  EXPECT_EQ(drain_all(out), up_to(100));
}

TEST_F(tickets, outlive_their_wrapping) {
  // 2^24 tickets and some, in large spans.
  std::vector<ticketed<int>> many(32'768);
  int total = 0;
  bool ordered = true;
  for (int round = 0; round != 520; ++round) {
    for (std::size_t index = 0; index != many.size(); ++index) many[index].item = static_cast<int>(index);
    ASSERT_EQ(door.enter().push_many(many).answer, offer::taken);
    int next = 0;
    while (out.drain(default_budget, [&](int&& item) {
      ordered = ordered && item == next++;
      ++total;
    })) {}
  }
  EXPECT_TRUE(ordered);
  EXPECT_EQ(total, 520 * 32'768);
}

TEST_F(tickets, of_a_closed_door_are_refused) {
  call(1);
  door.close();
  EXPECT_FALSE(door.enter());
  EXPECT_EQ(door.enter().push({0, 2}), offer::closed);
  EXPECT_EQ(drain_all(out), (std::vector{1}));
}

TEST_F(tickets, let_closing_hand_over_what_waited_behind_a_gap) {
  call(1);
  call(2);
  std::vector<int> last;
  out.close([&last](int&& item) { last.push_back(item); });
  EXPECT_EQ(last, (std::vector{1, 2}));
  EXPECT_EQ(door.enter().push({0, 3}), offer::closed);
}

TEST(ticket_order, keeps_early_ones_back_and_grows) {
  ticket_order<int> order;
  std::vector<int> seen;
  const auto take = [&seen](int&& item) { seen.push_back(item); };
  for (std::uint32_t ticket = 300; ticket != 0; --ticket)
    order.accept({ticket, static_cast<int>(ticket)}, take);
  EXPECT_TRUE(seen.empty());
  EXPECT_EQ(order.kept(), 300U);
  order.accept({0, 0}, take);
  EXPECT_EQ(seen, up_to(301));
  EXPECT_EQ(order.kept(), 0U);
}

TEST(ticket_order, steps_over_gaps_when_flushed) {
  ticket_order<int> order;
  std::vector<int> seen;
  const auto take = [&seen](int&& item) { seen.push_back(item); };
  order.accept({5, 5}, take);
  order.accept({3, 3}, take);
  order.flush(take);
  EXPECT_EQ(seen, (std::vector{3, 5}));
}

TEST(front_door, guards_what_belongs_to_a_door) {
  silent_bell owner;
  mailbox<ticketed<int>> box{owner, {.items = 1U << 20U}};
  front_door<int, till> door{box};
  std::vector<std::thread> threads;
  for (int index = 0; index != 24; ++index)
    threads.emplace_back([&door] {
      for (int count = 0; count != 1000; ++count) {
        auto pass = door.enter();
        ++pass.local().uses;
        ++*pass.local().money;
        EXPECT_EQ(pass.push({0, *pass.local().money - pass.local().uses}), offer::taken);
      }
    });
  for (auto& thread : threads) thread.join();
  front_outlet<int> out{box};
  int total = 0;
  while (out.drain(default_budget, [&total](int&& difference) {
    EXPECT_EQ(difference, 0);
    ++total;
  })) {}
  EXPECT_EQ(total, 24 * 1000);
}

TEST_F(tickets, are_given_to_a_thread_that_is_inside_already) {
  auto outer = door.enter();
  {
    auto inner = door.enter();
    EXPECT_EQ(inner.push({0, 0}), offer::taken);
  }
  EXPECT_EQ(outer.push({0, 1}), offer::taken);
  EXPECT_EQ(drain_all(out), up_to(2));
}

// Each of them owns a door, as far as there are any, and none of them goes.
TEST_F(tickets, are_given_to_more_threads_than_there_are_doors) {
  constexpr int threads = 40;
  std::atomic<int> done{0};
  std::vector<std::thread> callers;
  for (int index = 0; index != threads; ++index)
    callers.emplace_back([&, index] {
      while (done.load(std::memory_order_acquire) != index) std::this_thread::yield();
      call(index);
      done.store(index + 1, std::memory_order_release);
      while (done.load(std::memory_order_acquire) != threads) std::this_thread::yield();
      // Owners of a door that has become everybody's, too.
      for (int again = 0; again != 100; ++again) call(threads);
    });
  for (auto& caller : callers) caller.join();
  const auto seen = drain_all(out);
  EXPECT_EQ((std::vector<int>{seen.begin(), seen.begin() + threads}), up_to(threads));
  EXPECT_EQ(seen.size(), std::size_t{threads} * 101);
}

TEST_F(tickets, of_whoever_is_inside_are_waited_for_by_closing) {
  for (int round = 0; round != 50; ++round) {
    silent_bell mine;
    mailbox<ticketed<int>> target{mine};
    front_door<int, till> way{target};
    front_outlet<int> end{target};
    std::atomic<int> taken{0};
    std::atomic<bool> is_inside{false};
    std::thread caller{[&] {
      for (;;) {
        auto pass = way.enter();
        is_inside.store(true, std::memory_order_release);
        if (!pass) return;
        ++*pass.local().money;
        if (pass.push({0, 1}) == offer::taken) ++taken;
      }
    }};
    while (!is_inside.load(std::memory_order_acquire)) std::this_thread::yield();
    way.close();
    caller.join();
    EXPECT_EQ(drain_all(end).size(), static_cast<std::size_t>(taken.load()));
  }
}

// What belongs to a door that takes its time to be made.
struct slow_to_make {
  slow_to_make() {
    if (auto wait = std::exchange(once, nullptr)) wait();
  }
  static inline std::function<void()> once;
};

// It uses the mailbox, which need not be there any more when closing has ended.
TEST(front_door, is_not_closed_while_somebody_makes_a_door) {
  silent_bell owner;
  mailbox<ticketed<int>> box{owner};
  front_door<int, slow_to_make> way{box};
  std::atomic<bool> is_making{false};
  std::atomic<bool> may_go_on{false};
  std::atomic<bool> is_closed{false};
  slow_to_make::once = [&] {
    is_making.store(true);
    while (!may_go_on.load()) std::this_thread::yield();
  };
  std::thread maker{[&] { static_cast<void>(way.enter()); }};
  while (!is_making.load()) std::this_thread::yield();
  std::optional inside{way.enter()}; // an owner who is not inside goes in without asking whether it is closed
  std::thread closer{[&] {
    way.close();
    is_closed.store(true);
  }};
  while (way.enter()) std::this_thread::yield(); // until closing has begun
  inside.reset();
  bool has_waited = true;
  for (int look = 0; look != 1'000; ++look) {
    has_waited = has_waited && !is_closed.load();
    std::this_thread::yield();
  }
  EXPECT_TRUE(has_waited);
  may_go_on.store(true);
  maker.join();
  closer.join();
}

} // namespace
