#include "load_plot.hpp"

#include "child_process.hpp"
#include "scratch_file.hpp"

#include <array>
#include <sstream>
#include <utility>

namespace troupe::bench {
namespace {

constexpr double nanoseconds_in_ms = 1e6;

struct curve {
  std::string name{};
  std::string points{}; // "x y" lines
};

std::string quoted(const std::string& text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    result += c == '\n' ? ' ' : c;
  }
  return result + '"';
}

std::string svg_of(const std::string& output) {
  const auto begin = output.find("<svg");
  const auto end = output.rfind("</svg>");
  if (begin == std::string::npos || end == std::string::npos) return {};
  return output.substr(begin, end + 6 - begin);
}

std::string draw(const std::string& name, const std::string& settings, const std::string& style,
                 const std::vector<curve>& curves) {
  std::ostringstream script;
  script << "set terminal svg size 900,360 dynamic font 'sans-serif,13' background '#ffffff' name '" << name
         << "'\nset grid lc rgb '#dddddd'\nset key outside right top noenhanced\n"
         << settings << '\n';
  for (std::size_t i = 0; i < curves.size(); ++i)
    script << "$c" << i << " << END\n" << curves[i].points << "END\n";
  script << "plot ";
  for (std::size_t i = 0; i < curves.size(); ++i)
    script << (i == 0 ? "" : ", ") << "$c" << i << ' ' << style << " lw 2 title " << quoted(curves[i].name);
  script << '\n';
  const scratch_file file{"plot", script.str()};
  if (!file.is_whole()) return {};
  const child_result drawn = run_child({"gnuplot", file.name()}, child_errors::hidden);
  return drawn.status == 0 ? svg_of(drawn.output) : std::string{};
}

std::string label(const load_result& result, std::size_t number, std::size_t of) {
  return of == 1 ? std::string{}
                 : " (" + std::to_string(number + 1) + ": " + result.title.substr(0, 40) + ")";
}

template <class Value>
curve over_time(const load_result& result, const std::string& name, Value value) {
  curve drawn{.name = name};
  for (const load_slice& each : result.series)
    if (const std::optional<double> y = value(each))
      drawn.points += std::to_string(each.end) + ' ' + std::to_string(*y) + '\n';
  return drawn;
}

void keep(std::vector<curve>& curves, curve fresh) {
  if (!fresh.points.empty()) curves.push_back(std::move(fresh));
}

std::vector<curve> throughput(std::span<const load_result> results) {
  std::vector<curve> curves;
  for (std::size_t i = 0; i < results.size(); ++i) {
    const load_result& each = results[i];
    const std::string end = label(each, i, results.size());
    const auto rate = [&](const char* name, double load_slice::*member, std::uint64_t count) {
      if (count == 0) return;
      keep(curves,
           over_time(each, name + end, [member](const load_slice& s) { return std::optional{s.*member}; }));
    };
    rate("sent", &load_slice::sent, each.counts.sent);
    rate("acknowledged", &load_slice::acked, each.counts.acked);
    rate("received", &load_slice::received, each.counts.received);
  }
  return curves;
}

std::vector<curve> percentiles_over_time(std::span<const load_result> results) {
  std::vector<curve> curves;
  const auto in_ms = [](const std::optional<double>& ns) {
    return ns ? std::optional{*ns / nanoseconds_in_ms} : std::nullopt;
  };
  for (std::size_t i = 0; i < results.size(); ++i) {
    const std::string end = label(results[i], i, results.size());
    keep(curves, over_time(results[i], "p50" + end, [&](const load_slice& s) { return in_ms(s.p50); }));
    keep(curves, over_time(results[i], "p99" + end, [&](const load_slice& s) { return in_ms(s.p99); }));
  }
  return curves;
}

/// Latency over 1/(1 - share): each power of ten is one nine more.
curve percentile_curve(const histogram& values, const std::string& name) {
  curve drawn{.name = name};
  double nines = 1;
  while (nines <= static_cast<double>(values.count())) {
    const auto time = static_cast<double>(values.percentile(1 - 1 / nines).count());
    drawn.points += std::to_string(nines) + ' ' + std::to_string(time / nanoseconds_in_ms) + '\n';
    nines *= 1.25;
  }
  return drawn;
}

std::vector<curve> percentile_curves(std::span<const load_result> results,
                                     std::span<const std::string_view> names) {
  std::vector<curve> curves;
  for (std::size_t i = 0; i < results.size(); ++i)
    for (const std::string_view name : names)
      if (const histogram* values = results[i].latency(name); values != nullptr && values->count() != 0)
        keep(curves, percentile_curve(*values, std::string{name} + label(results[i], i, results.size())));
  return curves;
}

} // namespace

std::vector<load_plot> draw_plots(std::span<const load_result> results) {
  static constexpr std::array<std::string_view, 4> message{"e2e", "e2e.uncorrected", "ack",
                                                           "ack.uncorrected"};
  static constexpr std::array<std::string_view, 4> phases{"connect.dial", "connect.mqtt", "connect.total",
                                                          "subscribe"};
  // The labels are formats: a per cent sign is written twice.
  const std::string nines =
      "set logscale x 10\nset logscale y 10\nset ylabel 'ms'\nset xtics ('0' 1, '90 %%' 10, '99 %%' 100, "
      "'99.9 %%' 1000, '99.99 %%' 10000, '99.999 %%' 100000, '99.9999 %%' 1000000)";
  std::vector<load_plot> plots;
  const auto add = [&](const char* title, const std::string& settings, const std::vector<curve>& curves) {
    if (curves.empty()) return;
    std::string svg =
        draw("plot" + std::to_string(plots.size()), settings, "with linespoints pt 7 ps 0.3", curves);
    if (!svg.empty()) plots.push_back({title, std::move(svg)});
  };
  add("Throughput over time",
      "set xlabel 's'\nset ylabel 'messages/s'\nset yrange [0:*]\nset format y '%.0s%c'",
      throughput(results));
  add("Latency percentiles over time", "set xlabel 's'\nset ylabel 'ms'\nset yrange [0:*]",
      percentiles_over_time(results));
  add("Latency by percentile", nines, percentile_curves(results, message));
  add("Connect phases by percentile", nines, percentile_curves(results, phases));
  return plots;
}

} // namespace troupe::bench
