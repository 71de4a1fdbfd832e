#include <troupe/runtime/clock.hpp>
#include <troupe/runtime/house.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <mutex>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace {

using namespace troupe::runtime;
using namespace std::chrono_literals;

// Time as the test sets it: a manual clock that no stage is attached to.
class clocks : public testing::Test {
protected:
  struct note {
    note(std::vector<int>& into, int what) : log{&into}, number{what} {}
    void write() { log->push_back(number); }
    std::vector<int>* log;
    int number;
    deadline timer{calls<&note::write>, *this};
  };

  manual_clock time;
  troupe::runtime::clock wheel{&time};
  std::vector<int> log;

  std::vector<int> fire_after(duration by) {
    time.advance(by);
    wheel.fire();
    return std::exchange(log, {});
  }
};

TEST_F(clocks, fire_in_the_order_of_dues_and_then_of_arming) {
  note late{log, 1};
  note early{log, 2};
  note same{log, 3};
  wheel.arm_in(late.timer, 20ms);
  wheel.arm_in(early.timer, 10ms);
  wheel.arm_in(same.timer, 10ms);
  EXPECT_EQ(wheel.next_due(), time.now() + 10ms);
  EXPECT_TRUE(fire_after(9ms).empty());
  EXPECT_EQ(fire_after(50ms), (std::vector{2, 3, 1}));
  EXPECT_TRUE(wheel.is_empty());
  EXPECT_EQ(wheel.next_due(), time_point::max());
}

TEST_F(clocks, fire_once_per_arming) {
  note one{log, 1};
  wheel.arm_in(one.timer, 1ms);
  EXPECT_TRUE(one.timer.is_armed());
  EXPECT_EQ(fire_after(1ms).size(), 1U);
  EXPECT_FALSE(one.timer.is_armed());
  EXPECT_TRUE(fire_after(1h).empty());
}

TEST_F(clocks, take_the_last_arming) {
  note one{log, 1};
  note two{log, 2};
  wheel.arm_in(one.timer, 10ms);
  wheel.arm_in(two.timer, 20ms);
  wheel.arm_in(one.timer, 30ms); // later
  EXPECT_EQ(fire_after(20ms), (std::vector{2}));
  EXPECT_EQ(one.timer.due(), time.now() + 10ms);
  wheel.arm_in(one.timer, 1ms); // earlier
  EXPECT_EQ(fire_after(1ms), (std::vector{1}));
}

TEST_F(clocks, forget_what_is_disarmed_or_gone) {
  note one{log, 1};
  wheel.arm_in(one.timer, 1ms);
  one.timer.disarm();
  one.timer.disarm();
  {
    note gone{log, 2};
    wheel.arm_in(gone.timer, 1ms);
  }
  EXPECT_TRUE(fire_after(1s).empty());
}

TEST_F(clocks, let_a_callback_arm_and_destroy_others) {
  struct chain {
    troupe::runtime::clock& wheel;
    std::vector<int>& log;
    std::optional<note> victim;
    deadline timer{calls<&chain::go>, *this};
    void go() {
      log.push_back(0);
      victim.reset();
      wheel.arm_in(timer, duration{0}); // due at once, but not in this round
    }
  };
  chain first{wheel, log, std::nullopt};
  first.victim.emplace(log, 7);
  wheel.arm_in(first.timer, 1ms);
  wheel.arm_in(first.victim->timer, 1ms);
  EXPECT_EQ(fire_after(1ms), (std::vector{0}));
  EXPECT_EQ(fire_after(duration{0}), (std::vector{0}));
}

TEST_F(clocks, forget_nobody_when_they_go_first) {
  auto own = std::make_unique<troupe::runtime::clock>(&time);
  note one{log, 1};
  own->arm_in(one.timer, 1ms);
  own.reset();
  EXPECT_FALSE(one.timer.is_armed());
}

TEST_F(clocks, agree_with_a_sorted_list_under_chance) {
  std::mt19937 chance{20260101}; // NOLINT(bugprone-random-generator-seed): the same every time
  std::vector<std::unique_ptr<note>> notes;
  for (int number = 0; number != 200; ++number) notes.push_back(std::make_unique<note>(log, number));
  for (int step = 0; step != 20'000; ++step) {
    auto& chosen = *notes[chance() % notes.size()];
    switch (chance() % 8) {
    case 0: chosen.timer.disarm(); break;
    case 1: {
      std::vector<std::pair<time_point, int>> due;
      const auto by = std::chrono::microseconds{chance() % 500};
      for (const auto& each : notes)
        if (each->timer.is_armed() && each->timer.due() <= time.now() + by)
          due.emplace_back(each->timer.due(), each->number);
      const auto fired = fire_after(by);
      ASSERT_EQ(fired.size(), due.size());
      time_point last{};
      for (const int number : fired) {
        ASSERT_GE(notes[static_cast<std::size_t>(number)]->timer.due(), last);
        last = notes[static_cast<std::size_t>(number)]->timer.due();
      }
      break;
    }
    default: wheel.arm_in(chosen.timer, std::chrono::microseconds{chance() % 5000}); break;
    }
  }
}

// What actors of several homes write down, and a test reads while it has the time stand still.
class diary {
public:
  void write(const std::string& line) {
    const std::lock_guard hold{mutex_};
    lines_.push_back(line);
  }
  std::vector<std::string> read() const {
    const std::lock_guard hold{mutex_};
    return lines_;
  }

private:
  mutable std::mutex mutex_;
  std::vector<std::string> lines_;
};

// An actor that wakes itself and sends to another on a second home.
class relay final : public resident {
public:
  relay(caf::actor_config& config, place where, diary& log, std::string name, duration every, relay* next)
      : resident{config, where},
        log_{log},
        name_{std::move(name)},
        every_{every},
        next_{next != nullptr ? bell_ref{*next} : bell_ref{}} {}

protected:
  bool on_bell() override {
    if (!started_) {
      started_ = true;
      time().arm_in(timer_, every_);
    } else if (rung_ && next_) {
      next_.ring();
    }
    rung_ = false;
    return false;
  }
  void on_stop() override {
    timer_.disarm();
    next_ = {};
  }

private:
  void on_due() {
    log_.write(name_);
    rung_ = true;
    time().arm_in(timer_, every_);
    ring();
  }

  diary& log_;
  const std::string name_;
  const duration every_;
  bool started_ = false;
  bool rung_ = false;
  bell_ref next_;
  deadline timer_{calls<&relay::on_due>, *this};
};

class manual_time : public testing::TestWithParam<troupe::scheduler_kind> {};

TEST_P(manual_time, passes_only_when_it_is_advanced_and_in_order) {
  manual_clock time;
  diary log;
  troupe::stage stage{{.workers = 2, .scheduler = GetParam(), .time = &time}};
  auto& house = stage.inside();
  auto slow = house.spawn<relay>(house[0], log, "slow", 50ms, nullptr);
  auto fast = house.spawn<relay>(house[1], log, "fast", 20ms, slow.get());
  time.settle();
  EXPECT_TRUE(log.read().empty());
  time.advance(19ms);
  EXPECT_TRUE(log.read().empty());
  time.advance(1ms);
  EXPECT_EQ(log.read(), (std::vector<std::string>{"fast"}));
  time.advance(100ms - 20ms - 1ns);
  EXPECT_EQ(log.read(), (std::vector<std::string>{"fast", "fast", "slow", "fast", "fast"}));
  time.advance(6s - 100ms + 1ns); // 6 s in all, and at each of their moments both homes come to rest
  const auto lines = log.read();
  EXPECT_EQ(std::count(lines.begin(), lines.end(), "fast"), 300);
  EXPECT_EQ(std::count(lines.begin(), lines.end(), "slow"), 120);
}

INSTANTIATE_TEST_SUITE_P(schedulers, manual_time,
                         testing::Values(troupe::scheduler_kind::own, troupe::scheduler_kind::sharing,
                                         troupe::scheduler_kind::stealing),
                         [](const auto& kind) {
                           return kind.param == troupe::scheduler_kind::own       ? "own"
                                  : kind.param == troupe::scheduler_kind::sharing ? "sharing"
                                                                                  : "stealing";
                         });

} // namespace
