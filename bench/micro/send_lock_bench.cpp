// send_lock_bench: W15, W16: the lock of the way out: the right to use one of a client's sixteen doors.
//
// In W16 a hundred threads take the same door (the fifteen others are held), read a number, sleep 5 ms with
// the door in their hands and write the number plus one; the result must be a hundred. It asks whether the
// lock excludes; 0.5 s is what the sleeps alone take. With all doors open each has a number of its own.
// The sleep is the published workload's own: a holder that takes its time. Nothing is synchronised by it.
#include "client_case.hpp"
#include "codec_case.hpp"

#include "../../runtime/front_door.hpp"

#include <chrono>
#include <deque>
#include <mutex>
#include <thread>

namespace troupe::bench {
namespace {

/// An owner who never looks.
class deaf final : public runtime::bell {
public:
  void ring() noexcept override {}
  void retain() noexcept override {}
  void release() noexcept override {}
};

struct numbered {
  int number = 0;
};
using entrance = runtime::front_door<int, numbered>;

struct hall {
  deaf owner;
  entrance::box box{owner};
  entrance doors{box};
};

void take_turns(entrance& doors) {
  std::vector<std::thread> tasks;
  for (int n = 0; n != 100; ++n)
    tasks.emplace_back([&doors] {
      auto pass = doors.enter();
      const int seen = pass.local().number;
      std::this_thread::sleep_for(std::chrono::milliseconds{5}); // as W15 and W16 were published
      pass.local().number = seen + 1;
    });
  for (std::thread& each : tasks) each.join();
}

/// Everybody's number, while nobody is inside.
int sum_of(entrance& doors, std::size_t open) {
  int sum = 0;
  std::deque<entrance::pass> all;
  for (std::size_t n = 0; n != open; ++n) {
    all.push_back(doors.enter());
    sum += std::exchange(all.back().local().number, 0);
  }
  return sum;
}

void hundred_tasks(benchmark::State& state, std::size_t open) {
  hall place;
  std::deque<entrance::pass> held;
  for (std::size_t n = open; n != entrance::most_doors; ++n) held.push_back(place.doors.enter());
  {
    const allocation_counter counted{state};
    for (auto _ : state) {
      take_turns(place.doors);
      if (sum_of(place.doors, open) == 100) continue;
      state.SkipWithError("somebody was let in beside another");
      break;
    }
  }
  report(state, 1);
}

const bool registered = [] {
  benchmark::RegisterBenchmark("W15/enter_and_leave", [](benchmark::State& state) {
    hall place;
    measure(state, 100'000, [&] {
      for (int n = 0; n != 100'000; ++n) benchmark::DoNotOptimize(static_cast<bool>(place.doors.enter()));
    });
  });
  benchmark::RegisterBenchmark("W15/enter_and_leave/ref_std_mutex", [](benchmark::State& state) {
    std::mutex one;
    measure(state, 100'000, [&] {
      for (int n = 0; n != 100'000; ++n) {
        const std::lock_guard hold{one};
        benchmark::DoNotOptimize(&one);
      }
    });
  });
  register_case("W16/100_tasks/one_door", [](benchmark::State& s) { hundred_tasks(s, 1); });
  register_case("W16/100_tasks/all_doors",
                [](benchmark::State& s) { hundred_tasks(s, entrance::most_doors); });
  return true;
}();

} // namespace
} // namespace troupe::bench
