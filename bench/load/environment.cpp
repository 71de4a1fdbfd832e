#include "environment.hpp"

#include "cost_counters.hpp"

#include <sched.h>
#include <sys/utsname.h>

#include <ctime>
#include <fstream>

#ifndef TROUPE_VERSION
#define TROUPE_VERSION "unknown"
#endif

namespace troupe::bench {
namespace {

/// What follows `key` and `separator` in the first line of `file` that starts with `key`.
std::string value_in(const char* file, const std::string& key, char separator) {
  std::ifstream input{file};
  std::string line;
  while (std::getline(input, line)) {
    if (line.compare(0, key.size(), key) != 0) continue;
    const auto place = line.find(separator);
    if (place == std::string::npos) continue;
    const auto first = line.find_first_not_of(" \t\"", place + 1);
    const auto last = line.find_last_not_of(" \t\"");
    return first == std::string::npos ? std::string{} : line.substr(first, last - first + 1);
  }
  return {};
}

std::string compiler_name() {
#if defined(__clang__)
  return "clang " __clang_version__;
#else
  return "gcc " __VERSION__;
#endif
}

std::string build_name() {
#ifdef NDEBUG
  std::string name = "release";
#else
  std::string name = "debug";
#endif
  return are_costs_counted() ? name : name + ", sanitized";
}

} // namespace

environment describe_environment() {
  environment result;
  result.version = TROUPE_VERSION;
  result.compiler = compiler_name();
  result.build = build_name();
  result.processor = value_in("/proc/cpuinfo", "model name", ':');
  result.system = value_in("/etc/os-release", "PRETTY_NAME", '=');
  cpu_set_t allowed;
  if (::sched_getaffinity(0, sizeof allowed, &allowed) == 0)
    result.cores = static_cast<unsigned>(CPU_COUNT(&allowed));
  utsname machine{};
  if (::uname(&machine) == 0)
    result.kernel = std::string{machine.sysname} + ' ' + machine.release + ' ' + machine.machine;
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  ::gmtime_r(&now, &parts);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
  result.date = text;
  return result;
}

} // namespace troupe::bench
