// probe: what a broker can do, found out by small loads; and what this tool itself costs.
#include "background_process.hpp"
#include "child_process.hpp"
#include "command.hpp"
#include "figure_text.hpp"
#include "load_client.hpp"
#include "load_command.hpp"
#include "load_run.hpp"
#include "load_series.hpp"
#include "load_threshold.hpp"
#include "result_table.hpp"

#include "../../runtime/stage.hpp"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <array>
#include <cstdio>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace troupe::bench {
namespace {

struct probe_options {
  load_options load{};
  bool self = false;
};

struct finding {
  std::string what{};
  std::string answer{};
  std::string time{};
  std::string remark{};
};

/// What CONNACK announces; nothing when there is no broker.
std::optional<protocol::server_limits> ask_limits(const load_plan& plan, std::string& failure) {
  troupe::stage where;
  client user{where, client_options_for(plan, plan.broker, plan.prefix + "limits")};
  const outcome how = user.connect().get();
  if (how.ok()) return user.capabilities();
  const std::error_code cause = user.last_error();
  failure = cause ? cause.message() : how.text();
  return std::nullopt;
}

void add_limits(std::vector<finding>& to, const protocol::server_limits& limits) {
  const auto yes = [](bool is_so) { return std::string{is_so ? "yes" : "no"}; };
  to.push_back({"receive maximum", std::to_string(limits.receive_maximum), "", "announced"});
  to.push_back({"largest packet", std::to_string(limits.maximum_packet_size), "", "announced, octets"});
  to.push_back({"topic aliases", std::to_string(limits.topic_alias_maximum), "", "announced"});
  to.push_back({"highest QoS", std::to_string(static_cast<int>(limits.maximum_qos)), "", "announced"});
  to.push_back({"retained messages", yes(limits.retain_available), "", "announced"});
  to.push_back({"wildcards", yes(limits.wildcard_subscription_available), "", "announced"});
  to.push_back({"subscription identifiers", yes(limits.subscription_identifier_available), "", "announced"});
  to.push_back({"shared subscriptions", yes(limits.shared_subscription_available), "", "announced"});
  to.push_back({"keep-alive", std::to_string(limits.keep_alive.count()) + " s", "", "as the broker has it"});
}

struct trial {
  const char* what;
  const char* figure; // what its time is
  void (*set)(load_plan&);
};

constexpr std::array<trial, 10> trials{{
    {"QoS 0, there and back", "e2e.p50", [](load_plan& p) { p.quality = protocol::qos::at_most_once; }},
    {"QoS 1, there and back", "e2e.p50", [](load_plan& p) { p.quality = protocol::qos::at_least_once; }},
    {"QoS 2, there and back", "e2e.p50", [](load_plan& p) { p.quality = protocol::qos::exactly_once; }},
    {"3.1.1, QoS 1", "e2e.p50", [](load_plan& p) { p.version = protocol::version::v3_1_1; }},
    {"64 KiB, QoS 1", "e2e.p50", [](load_plan& p) { p.payload = std::size_t{64} << 10U; }},
    {"wildcard subscription", "e2e.p50", [](load_plan& p) { p.publishers = 2; }},
    {"shared subscription", "e2e.p50",
     [](load_plan& p) {
       p.share = "probe";
       p.subscribers = 2;
     }},
    {"request and response", "e2e.p50", [](load_plan& p) { p.kind = load_kind::round_trip; }},
    {"retained messages", "stored.all.p50",
     [](load_plan& p) {
       p.turn = load_turn::retained;
       p.retain = true;
       p.topic += "/%s";
     }},
    {"session kept and resumed", "stored.all.p50",
     [](load_plan& p) {
       p.turn = load_turn::resume;
       p.session_expiry = std::chrono::seconds{60};
     }},
}};

finding try_out(const load_plan& base, const trial& what, std::size_t number) {
  load_plan plan = base;
  plan.kind = load_kind::run;
  plan.publishers = plan.subscribers = 1;
  plan.quality = protocol::qos::at_least_once;
  plan.payload = 64;
  plan.window = 1;
  plan.rate = 0;
  plan.limit = 20;
  plan.duration = plan.warm_up = std::chrono::milliseconds{0};
  plan.drain = std::chrono::milliseconds{2'000};
  plan.verify = true;
  plan.prefix += std::to_string(number) + '-';
  plan.topic = "troupe-probe/" + plan.prefix + "/%i";
  what.set(plan);
  const load_result result = run_load(plan, std::chrono::milliseconds{0});
  const load_counts& c = result.counts;
  const bool is_well = result.failure.empty()
                       && c.errors + c.lost + c.duplicated + c.reordered + c.damaged == 0
                       && c.received == c.expected;
  const auto time = figure_of(result, what.figure);
  std::string remark = result.failure;
  if (remark.empty() && !is_well && !result.notes.empty()) remark = result.notes.front();
  if (remark.empty() && !is_well)
    remark = std::to_string(c.received) + " of " + std::to_string(c.expected) + " messages came";
  return {what.what, is_well ? "works" : "does not work", time && is_well ? time_text(*time) : "", remark};
}

void write_findings(const probe_options& options, const std::vector<finding>& all) {
  if (options.load.format == load_format::json) {
    auto list = nlohmann::ordered_json::array();
    for (const finding& each : all)
      list.push_back(
          {{"what", each.what}, {"answer", each.answer}, {"time", each.time}, {"remark", each.remark}});
    const nlohmann::ordered_json whole{{"schema", 1},
                                       {"kind", "probe"},
                                       {"broker", options.load.plan.broker},
                                       {"findings", std::move(list)}};
    std::cout << whole.dump(2) << '\n';
    return;
  }
  result_table table{{options.load.plan.broker, "answer", "median", "remark"}};
  for (const finding& each : all) table.add({each.what, each.answer, each.time, each.remark});
  options.load.format == load_format::markdown ? table.write_markdown(std::cout)
                                               : table.write_text(std::cout);
}

int probe_broker(probe_options& options) {
  const load_plan& plan = options.load.plan;
  std::vector<finding> all;
  if (!plan.is_embedded()) {
    std::string failure;
    const auto limits = ask_limits(plan, failure);
    if (!limits) {
      std::fprintf(stderr, "troupe-bench probe: no connection to %s: %s\n", plan.broker.c_str(),
                   failure.c_str());
      return exit_failed;
    }
    add_limits(all, *limits);
  }
  for (std::size_t i = 0; i < trials.size(); ++i) {
    if (!options.load.quiet) std::fprintf(stderr, "trying: %s\n", trials[i].what);
    all.push_back(try_out(plan, trials[i], i));
  }
  write_findings(options, all);
  return exit_clean;
}

/// The same load against a broker that costs next to nothing.
int probe_self(probe_options& options) {
  background_process broker{{own_program(), "null-broker"}};
  const std::string line = broker.first_line();
  constexpr std::string_view greeting = "listening on ";
  if (!line.starts_with(greeting)) {
    std::fprintf(stderr, "troupe-bench probe: the null broker did not start\n");
    return exit_failed;
  }
  options.load.plan.broker = line.substr(greeting.size());
  load_result result = measure_load(options.load);
  const double before = broker.usage().processor_seconds;
  const auto messages = static_cast<double>(result.counts.sent + result.counts.received);
  if (messages > 0 && result.measured > 0) {
    const double rate = result.sent_rate + result.received_rate;
    result.notes.push_back("against a null broker, so this is what the tool itself can do and costs: "
                           + time_text(result.processor_share * 1e9 / rate)
                           + " of processor for a message sent or received; the null broker took "
                           + time_text(before * 1e9 / messages) + ", whole run");
  }
  write_load_report(std::cout, options.load.format, result);
  return load_status(options.load, result);
}

int run_probe(probe_options& options) {
  if (const std::string wrong = resolve(options.load); !wrong.empty()) {
    std::fprintf(stderr, "troupe-bench probe: %s\n", wrong.c_str());
    return exit_usage;
  }
  return options.self ? probe_self(options) : probe_broker(options);
}

} // namespace

command add_probe(CLI::App& program) {
  const auto options = std::make_shared<probe_options>();
  options->load.plan.kind = load_kind::run;
  CLI::App* app = program.add_subcommand(
      "probe", "what a broker announces, and what of it works; with --self, what this tool itself costs");
  app->add_flag("--self", options->self,
                "the load of these options, as run does it, against a null broker in a process of its own");
  add_load_options(*app, options->load);
  app->footer("probe --url mqtt://broker.example    ten small trials: qualities, versions, sizes, shared and "
              "retained\n"
              "                                     messages, sessions, requests; nothing stays behind\n"
              "probe --self -q 1 -d 5s              what the tool can do: it must out-run what it measures\n"
              "Exit status: 0 the questions were answered, 1 there is no broker, 2 wrong usage; --self ends "
              "like run.");
  return [options] { return run_probe(*options); };
}

} // namespace troupe::bench
