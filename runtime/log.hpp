// log: one line per event, for whoever wants to read it.
//
// Lives here: log_level, log_sink, logger.
// Holds:   nothing is written anywhere unless the user gave a sink; the library has no output of its own.
// Threads: a sink is called on whatever thread has something to say, several at once.
// Errors:  what a sink throws is swallowed.
// Costs:   a line is only put together when there is a sink and its level is wanted.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>
#include <utility>

namespace troupe {

enum class log_level : std::uint8_t { debug, info, warning, error };

/// Level, room ("session", "scheduler"), sentence.
using log_sink = std::function<void(log_level, std::string_view where, std::string_view what)>;

/// A sink that writes to standard error through spdlog, from `least` on.
log_sink log_to_stderr(log_level least = log_level::info);

namespace runtime {

class logger {
public:
  logger() = default;
  explicit logger(log_sink sink) noexcept : sink_{std::move(sink)} {}

  bool is_on() const noexcept { return static_cast<bool>(sink_); }
  void line(log_level level, std::string_view where, std::string_view what) const noexcept;

private:
  log_sink sink_;
};

} // namespace runtime
} // namespace troupe
