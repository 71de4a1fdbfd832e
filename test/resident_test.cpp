#include <troupe/runtime/house.hpp>
#include <troupe/runtime/inlet.hpp>
#include <troupe/runtime/outlet.hpp>

#include <gtest/gtest.h>

#include <caf/all.hpp>

#include <future>
#include <set>
#include <stdexcept>
#include <thread>

namespace {

using namespace troupe::runtime;

// Adds up what it is sent and answers when it has seen as many as it was told to wait for.
class adder final : public resident {
public:
  struct gauge {
    std::atomic<long> sum{0};
    std::atomic<int> stopped{0};
    std::promise<long> done;
    std::atomic<long> wanted{-1};
    std::mutex mutex;
    std::set<std::thread::id> threads;
  };

  adder(caf::actor_config& config, place where, gauge& shared)
      : resident{config, where}, numbers{*this}, gauge_{shared} {}

  mailbox<long> numbers;

protected:
  bool on_bell() override {
    {
      const std::lock_guard hold{gauge_.mutex};
      gauge_.threads.insert(std::this_thread::get_id());
    }
    return outlet_.drain([this](long&& number) {
      if (number < 0) throw std::runtime_error{"negative"};
      if (gauge_.sum += number; gauge_.sum == gauge_.wanted) gauge_.done.set_value(gauge_.sum);
    });
  }
  void on_stop() override {
    ++gauge_.stopped;
    outlet_.close();
  }

private:
  outlet<long> outlet_{numbers};
  gauge& gauge_;
};

class residents : public testing::TestWithParam<troupe::scheduler_kind> {
protected:
  troupe::stage_options options() const { return {.workers = 2, .scheduler = GetParam()}; }
};

TEST_P(residents, take_what_is_pushed_from_several_threads) {
  adder::gauge gauge;
  gauge.wanted = 4 * 1000;
  {
    troupe::stage stage{options()};
    auto& house = stage.inside();
    auto actor = house.spawn<adder>(house.next_home(), gauge);
    std::vector<std::thread> threads;
    for (int thread = 0; thread != 4; ++thread)
      threads.emplace_back([&actor] {
        inlet<long> way{actor->numbers};
        for (int count = 0; count != 1000; ++count)
          while (way.push(1L) != offer::taken) std::this_thread::yield();
      });
    for (auto& each : threads) each.join();
    EXPECT_EQ(gauge.done.get_future().get(), 4000);
    EXPECT_EQ(stage.actors_alive(), 1U);
    actor = {};
  }
  EXPECT_EQ(gauge.stopped, 1);
}

TEST_P(residents, stay_on_one_thread_with_our_scheduler) {
  adder::gauge gauge;
  troupe::stage stage{options()};
  auto& house = stage.inside();
  auto actor = house.spawn<adder>(house.next_home(), gauge);
  inlet<long> way{actor->numbers};
  for (int round = 1; round <= 50; ++round) {
    std::promise<void> seen;
    EXPECT_EQ(way.push(1L), offer::taken);
    while (gauge.sum != round) std::this_thread::yield();
    std::thread{[&] { actor->ring(); }}.join();
  }
  if (house.is_pinning()) {
    EXPECT_EQ(gauge.threads.size(), 1U);
  }
}

TEST_P(residents, end_by_an_exception_and_close_their_mailbox) {
  adder::gauge gauge;
  troupe::stage stage{options()};
  auto& house = stage.inside();
  auto actor = house.spawn<adder>(house.next_home(), gauge);
  inlet<long> way{actor->numbers};
  EXPECT_EQ(way.push(-1L), offer::taken);
  while (way.push(1L) != offer::closed) std::this_thread::yield();
  EXPECT_FALSE(way.is_open());
}

TEST_P(residents, are_told_to_stop_from_outside) {
  adder::gauge gauge;
  troupe::stage stage{options()};
  auto& house = stage.inside();
  auto actor = house.spawn<adder>(house.next_home(), gauge);
  actor->stop_soon();
  actor = {};
  while (stage.actors_alive() != 0) std::this_thread::yield();
  EXPECT_EQ(gauge.stopped, 1);
}

INSTANTIATE_TEST_SUITE_P(schedulers, residents,
                         testing::Values(troupe::scheduler_kind::own, troupe::scheduler_kind::sharing,
                                         troupe::scheduler_kind::stealing),
                         [](const auto& kind) {
                           return kind.param == troupe::scheduler_kind::own       ? "own"
                                  : kind.param == troupe::scheduler_kind::sharing ? "sharing"
                                                                                  : "stealing";
                         });

} // namespace
