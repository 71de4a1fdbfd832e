// Stages, brokers and clients that begin and end, again and again, in whatever order: nothing is left.
#include "support/port_holder.hpp"
#include "support/raw_client.hpp"

#include <troupe/actors/client.hpp>
#include <troupe/broker/broker.hpp>
#include <troupe/runtime/house.hpp>

#include <gtest/gtest.h>

#include <filesystem>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace troupe {
namespace {

using namespace std::chrono_literals;

constexpr int cycles = 50;

std::ptrdiff_t entries_of(const char* folder) {
  return std::distance(std::filesystem::directory_iterator{folder}, {});
}

class start_stop : public testing::TestWithParam<scheduler_kind> {
protected:
  /// A client with a will, a subscription, and publishes that nobody waits for.
  struct guest {
    guest(stage& where, const std::string& url, std::string id) : user{where, options(url, std::move(id))} {
      if (!user.connected().get().ok()) ADD_FAILURE() << "not connected";
      for (int count = 0; count != 20; ++count) ends.push_back(user.publish("t", "x", qos::exactly_once));
    }
    static client_options options(const std::string& url, std::string id) {
      client_options result;
      result.broker = url;
      result.client_id = std::move(id);
      result.will = will{.topic = "will", .payload = "the same of all"};
      result.backoff_first = 1ms;
      result.disconnect_timeout = 20ms;
      return result;
    }
    client user;
    subscription interest = user.subscribe("#", qos::exactly_once, [](const message&) {});
    std::vector<pending<outcome>> ends{};
  };

  void cycle(int number) {
    std::shared_ptr<const runtime::census> actors;
    std::vector<pending<outcome>> ends;
    {
      stage where{{.workers = 2, .scheduler = GetParam()}};
      actors = where.inside().census();
      std::optional<broker> our{std::in_place, where, broker_options{.stop_timeout = 20ms}};
      const auto bound = our->listen(port.url());
      ASSERT_TRUE(bound) << bound.error().message();
      std::optional<guest> one{std::in_place, where, *bound, "one"};
      std::optional<guest> two{std::in_place, where, *bound, "two"};
      test::raw_client half{*bound};
      half.send({0x10, 0x20});
      EXPECT_GE(actors->alive(), 10U);
      for (guest* each : {&*one, &*two})
        for (auto& end : each->ends) ends.push_back(std::move(end));
      switch (number % 3) {
      case 0: our->stop(); break; // under the clients, which dial again and again
      case 1: one.reset(); break;
      default: break;
      }
      if (number % 2 == 0) our.reset();
    }
    EXPECT_EQ(actors->alive(), 0U) << "in cycle " << number;
    for (auto& each : ends) EXPECT_TRUE(each.done());
  }

  const test::port_holder port{-1}; // the same in each cycle, and nobody else's
};

TEST_P(start_stop, fifty_times_leaves_no_actor_no_descriptor_and_no_thread) {
  cycle(0); // what the libraries allocate once
  const auto descriptors = entries_of("/proc/self/fd");
  const auto threads = entries_of("/proc/self/task");
  for (int number = 1; number != cycles; ++number) cycle(number);
  EXPECT_EQ(entries_of("/proc/self/fd"), descriptors);
  // A thread that was joined may still be listed for a moment: until it is not, or the test's time is over.
  while (entries_of("/proc/self/task") > threads) std::this_thread::yield();
}

INSTANTIATE_TEST_SUITE_P(on, start_stop,
                         testing::Values(scheduler_kind::own, scheduler_kind::sharing,
                                         scheduler_kind::stealing),
                         [](const auto& each) {
                           switch (each.param) {
                           case scheduler_kind::own: return "own";
                           case scheduler_kind::sharing: return "sharing";
                           default: return "stealing";
                           }
                         });

} // namespace
} // namespace troupe
