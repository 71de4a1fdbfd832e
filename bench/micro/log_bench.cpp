// log_bench: W14: 10,000 lines of the log with one text each: nobody listens, somebody who does not want
// this level, somebody who does not look at the text, somebody who renders it.
#include "codec_case.hpp"

#include "../../runtime/log.hpp"

namespace troupe::bench {
namespace {

constexpr std::size_t lines = 10'000;

void write_lines(benchmark::State& state, const runtime::logger& log) {
  std::string argument = "sensor 17";
  benchmark::DoNotOptimize(argument.data());
  measure(state, lines, [&] {
    for (std::size_t n = 0; n != lines; ++n) log.line(log_level::info, "bench", argument);
  });
}

std::string_view word(log_level level) noexcept {
  switch (level) {
  case log_level::debug: return "debug";
  case log_level::info: return "info";
  case log_level::warning: return "warning";
  case log_level::error: return "error";
  }
  return "";
}

/// "[info] bench: sensor 17", in memory.
log_sink rendering() {
  return [text = std::string{}](log_level level, std::string_view where, std::string_view what) mutable {
    text.clear();
    text.append("[").append(word(level)).append("] ").append(where).append(": ").append(what);
    benchmark::DoNotOptimize(text.data());
  };
}

const bool registered = [] {
  benchmark::RegisterBenchmark("W14/log/no_sink", [](benchmark::State& s) { write_lines(s, {}); });
  benchmark::RegisterBenchmark("W14/log/level_disabled", [](benchmark::State& s) {
    write_lines(s, runtime::logger{log_to_stderr(log_level::error)});
  });
  benchmark::RegisterBenchmark("W14/log/sink_without_text", [](benchmark::State& s) {
    write_lines(s, runtime::logger{[](log_level level, std::string_view, std::string_view) {
                  benchmark::DoNotOptimize(level);
                }});
  });
  benchmark::RegisterBenchmark("W14/log/sink_with_text",
                               [](benchmark::State& s) { write_lines(s, runtime::logger{rendering()}); });
  return true;
}();

} // namespace
} // namespace troupe::bench
