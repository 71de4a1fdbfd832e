#include "load_json.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <exception>
#include <utility>

namespace troupe::bench {
namespace {

using json = nlohmann::ordered_json;

json number(double value) { return std::isfinite(value) ? json(value) : json(nullptr); }
json optional_number(const std::optional<double>& value) { return value ? number(*value) : json(nullptr); }

std::optional<double> number_or_nothing(const json& from) {
  return from.is_number() ? std::optional<double>{from.get<double>()} : std::nullopt;
}

template <class Visit>
void each_count(Visit visit) {
  visit("sent", &load_counts::sent);
  visit("acked", &load_counts::acked);
  visit("received", &load_counts::received);
  visit("expected", &load_counts::expected);
  visit("lost", &load_counts::lost);
  visit("duplicated", &load_counts::duplicated);
  visit("reordered", &load_counts::reordered);
  visit("damaged", &load_counts::damaged);
  visit("foreign", &load_counts::foreign);
  visit("errors", &load_counts::errors);
  visit("connected", &load_counts::connected);
  visit("connect_failures", &load_counts::connect_failures);
  visit("dropped_connections", &load_counts::dropped_connections);
}

template <class Visit>
void each_word_of(Visit visit) {
  visit("version", &environment::version);
  visit("compiler", &environment::compiler);
  visit("build", &environment::build);
  visit("processor", &environment::processor);
  visit("kernel", &environment::kernel);
  visit("system", &environment::system);
  visit("date", &environment::date);
}

json environment_json(const environment& where) {
  json to;
  each_word_of([&](const char* key, std::string environment::*member) { to[key] = where.*member; });
  to["cores"] = where.cores;
  return to;
}

json counts_json(const load_counts& counts) {
  json to;
  each_count([&](const char* key, std::uint64_t load_counts::*member) { to[key] = counts.*member; });
  return to;
}

json series_json(const std::vector<load_slice>& series) {
  json to = json::array();
  for (const load_slice& each : series)
    to.push_back({{"end_s", number(each.end)},
                  {"sent_per_s", number(each.sent)},
                  {"acked_per_s", number(each.acked)},
                  {"received_per_s", number(each.received)},
                  {"p50_ns", optional_number(each.p50)},
                  {"p99_ns", optional_number(each.p99)}});
  return to;
}

/// Beside the usual percentiles, which are always there, those that were asked for.
void add_percentiles(json& to, const histogram& values, const std::vector<double>& asked) {
  for (const double each : asked) {
    const std::string name = percentile_name(each);
    const auto share = share_of_name(name);
    if (!share) continue;
    std::string key = name + "_ns";
    std::replace(key.begin(), key.end(), '.', '_');
    to[key] = values.percentile(*share).count();
  }
}

json latency_json(const histogram& values, const std::vector<double>& asked) {
  json buckets = json::array();
  values.for_each_bucket([&](std::uint64_t end, std::uint64_t count) { buckets.push_back({end, count}); });
  json to{{"count", values.count()},
          {"mean_ns", number(std::round(values.mean() * 10) / 10)},
          {"min_ns", values.smallest().count()}};
  add_percentiles(to, values, {usual_percentiles.begin(), usual_percentiles.end()});
  add_percentiles(to, values, asked);
  to["max_ns"] = values.largest().count();
  to["buckets"] = std::move(buckets);
  return to;
}

json thresholds_json(const std::vector<threshold_verdict>& verdicts) {
  json to = json::array();
  for (const threshold_verdict& each : verdicts)
    to.push_back({{"condition", each.text}, {"value", optional_number(each.value)}, {"met", each.is_met}});
  return to;
}

load_latency read_latency(const std::string& name, const json& from) {
  load_latency result;
  result.name = name;
  for (const json& pair : from.at("buckets"))
    result.values.record(std::chrono::nanoseconds{pair.at(0).get<std::int64_t>()},
                         pair.at(1).get<std::uint64_t>());
  using std::chrono::nanoseconds;
  result.values.restore(nanoseconds{from.at("min_ns").get<std::int64_t>()},
                        nanoseconds{from.at("max_ns").get<std::int64_t>()}, from.at("mean_ns").get<double>());
  return result;
}

load_slice read_slice(const json& from) {
  return {from.at("end_s").get<double>(),       from.at("sent_per_s").get<double>(),
          from.at("acked_per_s").get<double>(), from.at("received_per_s").get<double>(),
          number_or_nothing(from.at("p50_ns")), number_or_nothing(from.at("p99_ns"))};
}

load_result read_result(const json& from) {
  load_result result;
  result.title = from.at("title").get<std::string>();
  for (const auto& [key, value] : from.at("plan").items()) result.plan.emplace_back(key, value);
  const json& where = from.at("environment");
  each_word_of(
      [&](const char* key, std::string environment::*member) { where.at(key).get_to(result.where.*member); });
  where.at("cores").get_to(result.where.cores);
  const json& totals = from.at("totals");
  each_count([&](const char* key, std::uint64_t load_counts::*member) {
    totals.at(key).get_to(result.counts.*member);
  });
  from.at("measured_s").get_to(result.measured);
  from.at("warm_up_s").get_to(result.warm_up);
  from.at("rates").at("sent_per_s").get_to(result.sent_rate);
  from.at("rates").at("acked_per_s").get_to(result.acked_rate);
  from.at("rates").at("received_per_s").get_to(result.received_rate);
  from.at("payload_octets").get_to(result.payload);
  from.at("process").at("cpu_cores").get_to(result.processor_share);
  from.at("process").at("rss_octets").get_to(result.resident);
  for (const json& each : from.at("series")) result.series.push_back(read_slice(each));
  for (const auto& [name, values] : from.at("latency").items())
    result.latencies.push_back(read_latency(name, values));
  if (from.contains("percentiles")) from.at("percentiles").get_to(result.percentiles);
  for (const json& each : from.at("notes")) result.notes.push_back(each.get<std::string>());
  if (from.at("failed").is_string()) from.at("failed").get_to(result.failure);
  from.at("interrupted_by").get_to(result.interrupted_by);
  for (const json& each : from.at("thresholds"))
    result.thresholds.push_back({each.at("condition").get<std::string>(), number_or_nothing(each.at("value")),
                                 each.at("met").get<bool>()});
  return result;
}

} // namespace

std::string load_json_of(const load_result& result) {
  json plan = json::object();
  for (const auto& [key, value] : result.plan) plan[key] = value;
  json latency = json::object();
  for (const load_latency& each : result.latencies)
    latency[each.name] = latency_json(each.values, result.percentiles);
  json to;
  to["schema"] = 1;
  to["kind"] = "load";
  to["title"] = result.title;
  to["plan"] = std::move(plan);
  to["environment"] = environment_json(result.where);
  to["measured_s"] = number(result.measured);
  to["warm_up_s"] = number(result.warm_up);
  to["payload_octets"] = result.payload;
  to["totals"] = counts_json(result.counts);
  to["rates"] = {{"sent_per_s", number(result.sent_rate)},
                 {"acked_per_s", number(result.acked_rate)},
                 {"received_per_s", number(result.received_rate)}};
  to["percentiles"] = result.percentiles;
  to["latency"] = std::move(latency);
  to["series"] = series_json(result.series);
  to["process"] = {{"cpu_cores", number(result.processor_share)}, {"rss_octets", result.resident}};
  to["thresholds"] = thresholds_json(result.thresholds);
  to["notes"] = result.notes;
  to["failed"] = result.failure.empty() ? json(nullptr) : json(result.failure);
  to["interrupted_by"] = result.interrupted_by;
  return to.dump(2, ' ', false, json::error_handler_t::replace) + '\n';
}

std::optional<load_result> read_load_json(const std::string& text) {
  const json from = json::parse(text, nullptr, false);
  if (!from.is_object() || from.value("kind", std::string{}) != "load" || from.value("schema", 0) != 1)
    return std::nullopt;
  try {
    return read_result(from);
  } catch (const std::exception&) {
    return std::nullopt;
  }
}

} // namespace troupe::bench
