#include "result_json.hpp"

#include <nlohmann/json.hpp>

#include <cmath>

namespace troupe::bench {
namespace {

using json = nlohmann::ordered_json;

json number(double value) { return std::isfinite(value) ? json(value) : json(nullptr); }

json optional_number(const std::optional<double>& value) { return value ? number(*value) : json(nullptr); }

json environment_json(const environment& where) {
  return {{"version", where.version},     {"compiler", where.compiler}, {"build", where.build},
          {"processor", where.processor}, {"cores", where.cores},       {"kernel", where.kernel},
          {"system", where.system},       {"date", where.date}};
}

void put_identity(json& to, const row& measured) {
  const workload& work = measured.work;
  to["id"] = work.id;
  to["version"] = name(work.version);
  to["transport"] = name(work.transport);
  to["qos"] = static_cast<int>(work.quality);
  to["payload"] = work.payload;
  to["messages"] = work.messages;
  to["systems"] = work.systems;
  to["scheduler"] = name(work.scheduler);
  to["workers"] = measured.workers;
  to["launches"] = measured.launches;
  to["iterations"] = measured.ours.size();
}

void put_times(json& to, const row& measured, const std::optional<figures>& f) {
  const auto time = [&](double summary::*member) { return f ? number(f->time.*member) : json(nullptr); };
  const bool has_raw = f && f->raw;
  const bool bursts = f && has_bursts(measured.work);
  const bool pings = f && is_latency(measured.work);
  to["ns_per_message"] = time(&summary::mean);
  to["median"] = time(&summary::median);
  to["min"] = time(&summary::smallest);
  to["max"] = time(&summary::largest);
  to["stddev"] = time(&summary::deviation);
  to["error"] = time(&summary::error);
  to["req_per_s"] = f && f->time.mean > 0 ? number(2e9 / f->time.mean) : json(nullptr);
  to["raw_ns_per_message"] = has_raw ? number(f->raw->time.mean) : json(nullptr);
  to["raw_threads"] = has_raw ? json(f->raw->threads) : json(nullptr);
  to["reference_ns_per_message"] = optional_number(measured.work.published);
  to["burst_worst_ratio"] = bursts ? number(f->bursts.worst_ratio) : json(nullptr);
  to["raw_burst_worst_ratio"] = bursts && has_raw ? number(f->raw->bursts.worst_ratio) : json(nullptr);
  to["slow_burst_share"] = bursts ? number(f->bursts.slow_share) : json(nullptr);
  to["raw_slow_burst_share"] = bursts && has_raw ? number(f->raw->bursts.slow_share) : json(nullptr);
  to["p50_ns"] = pings ? number(f->p50) : json(nullptr);
  to["p99_ns"] = pings ? number(f->p99) : json(nullptr);
  to["raw_p50_ns"] = pings && has_raw ? number(f->raw->p50) : json(nullptr);
}

void put_faults(json& to, const row& measured) {
  to["lost"] = measured.found.lost;
  to["duplicated"] = measured.found.duplicated;
  to["reordered"] = measured.found.reordered;
  to["damaged"] = measured.found.damaged;
  to["failed"] = measured.failure.empty() ? json(nullptr) : json(measured.failure);
}

void put_costs(json& to, const row& measured) {
  const auto cost = [&](double message_costs::*member) {
    return measured.costs ? number((*measured.costs).*member) : json(nullptr);
  };
  to["allocations_per_message"] = cost(&message_costs::allocations);
  to["allocated_bytes_per_message"] = cost(&message_costs::allocated_bytes);
  to["mutexes_per_message"] = cost(&message_costs::mutexes);
  to["syscalls_per_message"] = optional_number(measured.system_calls);
}

} // namespace

std::string json_of(const environment& where, std::span<const row> rows) {
  json cases = json::array();
  for (const row& measured : rows) {
    const auto f = figures_of(measured);
    json one;
    put_identity(one, measured);
    put_times(one, measured, f);
    put_faults(one, measured);
    put_costs(one, measured);
    cases.push_back(std::move(one));
  }
  const json all{{"schema", 1}, {"environment", environment_json(where)}, {"cases", std::move(cases)}};
  return all.dump(2) + '\n';
}

std::string samples_to_json(const row& measured) {
  json one;
  one["id"] = measured.work.id;
  one["ours"] = measured.ours;
  one["raw"] = measured.raw;
  put_faults(one, measured);
  put_costs(one, measured);
  return one.dump() + '\n';
}

bool add_samples(row& to, const std::string& text) {
  const json one = json::parse(text, nullptr, false);
  if (!one.is_object() || one.value("id", std::string{}) != to.work.id) return false;
  const auto append = [](sample_sets& sets, const json& more) {
    for (const auto& set : more) sets.push_back(set.get<std::vector<double>>());
  };
  append(to.ours, one.at("ours"));
  for (std::size_t i = 0; i < to.raw.size(); ++i) append(to.raw[i], one.at("raw").at(i));
  to.found.lost += one.at("lost").get<std::uint64_t>();
  to.found.duplicated += one.at("duplicated").get<std::uint64_t>();
  to.found.reordered += one.at("reordered").get<std::uint64_t>();
  to.found.damaged += one.at("damaged").get<std::uint64_t>();
  if (one.at("failed").is_string()) to.failure = one.at("failed").get<std::string>();
  if (one.at("allocations_per_message").is_number())
    to.costs = message_costs{one.at("allocations_per_message").get<double>(),
                             one.at("allocated_bytes_per_message").get<double>(),
                             one.at("mutexes_per_message").get<double>()};
  return true;
}

} // namespace troupe::bench
