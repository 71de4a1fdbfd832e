// client_case: what the cases with client and broker share.
//
// Lives here: way (every transport there is), meeting (a stage with a broker that listens at one way), a
//          client that is connected; journey and ended(), coroutines over completion handlers; finish_line,
//          where the measuring thread waits; measure_elsewhere(), the loop with its counters.
// Holds:   one message at a time is asked for where design wants it: on the client's home worker, by a
//          coroutine that a completion handler resumes there.
// Threads: a meeting is made and dropped by the case's thread. A journey runs on the home it was started on.
// Errors:  std::runtime_error while something is set up; what fails later is told to the finish_line.
#pragma once

#include "../load/bench_certificate.hpp"
#include "allocation_counter.hpp"

#include "../../actors/client.hpp"
#include "../../broker/broker.hpp"
#include "../../runtime/home.hpp"
#include "../../runtime/stage.hpp"

#include <benchmark/benchmark.h>

#include <coroutine>
#include <cstdint>
#include <exception>
#include <optional>
#include <semaphore>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

namespace troupe::bench {

enum class way : std::uint8_t { loopback, tcp, unix_socket, tls, websocket, secure_websocket };
inline constexpr way every_way[] = {way::loopback, way::tcp,       way::unix_socket,
                                    way::tls,      way::websocket, way::secure_websocket};
const char* word(way which) noexcept;

struct meeting {
  /// As many shards as workers.
  meeting(way which, std::size_t workers);

  /// Keep-alive is off, and nobody dials again.
  client_options options(std::string client_id, version v = version::v5_0) const;

  bench_certificate card{}; // of ways with TLS
  stage place;
  broker server;
  std::string endpoint{};
};

/// Waits until it is connected.
client connect_to(meeting& where, std::string client_id, version v = version::v5_0);
void await_connection(client& user);
/// The worker that its handlers run on.
runtime::home& home_of(client& user);
/// Throws unless it ended well.
void require(const outcome& how, std::string_view what);

/// Where the measuring thread waits for what runs on workers.
class finish_line {
public:
  /// Once per wait(), by anybody.
  void reach() noexcept { reached_.release(); }
  /// The same, and the case ends.
  void fail(std::string why) {
    failure_ = std::move(why);
    reach();
  }
  /// Ends the program when nobody comes within a minute: what is under way refers to the case.
  void wait();
  /// Why it failed; empty: it did not.
  const std::string& failure() const noexcept { return failure_; }

private:
  std::binary_semaphore reached_{0};
  std::string failure_; // written before reach(), read after wait()
};

/// A coroutine that begins at once and belongs to nobody.
struct journey {
  struct promise_type {
    journey get_return_object() const noexcept { return {}; }
    std::suspend_never initial_suspend() const noexcept { return {}; }
    std::suspend_never final_suspend() const noexcept { return {}; }
    void return_void() const noexcept {}
    [[noreturn]] void unhandled_exception() const noexcept { std::terminate(); }
  };
};

/// `co_await ended(start)` calls start(handler) and answers the outcome that the handler was given. The
/// coroutine goes on inside the handler: on the client's home, without a step through a queue.
template <class Start>
class ended {
public:
  explicit ended(Start start) : start_{std::move(start)} {}
  bool await_ready() const noexcept { return false; }
  void await_suspend(std::coroutine_handle<> who) {
    start_([this, who](const outcome& how) {
      how_ = how;
      who.resume();
    });
  }
  outcome await_resume() const noexcept { return how_; }

private:
  Start start_;
  outcome how_;
};

/// What a case with `operations` per iteration reports beside its time.
void report(benchmark::State& state, double operations);

/// As measure() of codec_case, for what happens on other threads: `once` returns when it is done, `between`
/// is neither timed nor counted. The case ends when `line` has failed.
template <class Once, class Between>
void measure_elsewhere(benchmark::State& state, double operations, const finish_line& line, Once once,
                       Between between) {
  once(); // what is allocated once is not the case's
  between();
  {
    allocation_counter counted{state, operations};
    for (auto _ : state) {
      once();
      state.PauseTiming();
      counted.pause();
      between();
      if (!line.failure().empty()) {
        state.SkipWithError(line.failure().c_str());
        break;
      }
      counted.resume();
      state.ResumeTiming();
    }
  }
  report(state, operations);
}

/// A case whose failures to set up are told.
template <class Case>
void register_case(const std::string& name, Case run) {
  benchmark::RegisterBenchmark(name.c_str(), [run = std::move(run)](benchmark::State& state) {
    try {
      run(state);
    } catch (const std::exception& problem) {
      state.SkipWithError(problem.what());
    }
  })->UseRealTime();
}

inline std::string workers_word(std::size_t workers) {
  return workers == 1 ? "1_shard" : std::to_string(workers) + "_shards";
}

} // namespace troupe::bench
