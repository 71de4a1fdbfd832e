#include "system_calls.hpp"

#include "child_process.hpp"
#include "scratch_file.hpp"
#include "whole_file.hpp"

#include <sstream>

namespace troupe::bench {
namespace {

constexpr unsigned few = 5;
constexpr unsigned many = 55;

std::optional<std::uint64_t> calls_of(const std::vector<std::string>& command, unsigned bursts,
                                      const std::string& file) {
  std::vector<std::string> traced{"strace", "-f", "-c", "-U", "calls,name", "-o", file};
  traced.insert(traced.end(), command.begin(), command.end());
  traced.push_back(std::to_string(bursts));
  if (run_child(traced, child_errors::hidden).status != 0) return std::nullopt;
  return total_of_summary(text_of_file(file));
}

} // namespace

std::optional<std::uint64_t> total_of_summary(std::string_view summary) {
  std::istringstream lines{std::string{summary}};
  std::string line;
  std::optional<std::uint64_t> total;
  while (std::getline(lines, line)) {
    std::istringstream words{line};
    std::uint64_t calls = 0;
    std::string name;
    if (words >> calls >> name && name == "total") total = calls;
  }
  return total;
}

std::optional<double> count_system_calls(const std::vector<std::string>& command, std::uint64_t messages) {
  const scratch_file summary{"calls"};
  if (!summary.is_whole()) return std::nullopt;
  const auto less = calls_of(command, few, summary.name());
  const auto more = less ? calls_of(command, many, summary.name()) : std::nullopt;
  if (!more || *more < *less) return std::nullopt;
  return static_cast<double>(*more - *less) / static_cast<double>((many - few) * messages);
}

} // namespace troupe::bench
