#include "log.hpp"

#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>

#include <memory>

namespace troupe {
namespace {

spdlog::level::level_enum to_spdlog(log_level level) noexcept {
  switch (level) {
  case log_level::debug: return spdlog::level::debug;
  case log_level::info: return spdlog::level::info;
  case log_level::warning: return spdlog::level::warn;
  case log_level::error: return spdlog::level::err;
  }
  return spdlog::level::err;
}

} // namespace

log_sink log_to_stderr(log_level least) {
  auto sink = std::make_shared<spdlog::sinks::stderr_color_sink_mt>();
  auto target = std::make_shared<spdlog::logger>("troupe", std::move(sink));
  target->set_level(to_spdlog(least));
  return [target](log_level level, std::string_view where, std::string_view what) {
    target->log(to_spdlog(level), "{}: {}", where, what);
  };
}

namespace runtime {

void logger::line(log_level level, std::string_view where, std::string_view what) const noexcept {
  if (!sink_) return;
  try {
    sink_(level, where, what);
  } catch (...) { // NOLINT(bugprone-empty-catch): a log that fails has nobody to tell
  }
}

} // namespace runtime
} // namespace troupe
