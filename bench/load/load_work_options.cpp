#include "load_work_options.hpp"

#include "option_words.hpp"

#include <fstream>
#include <iterator>

namespace troupe::bench {

std::map<std::string, protocol::qos> quality_words() {
  return {{"0", protocol::qos::at_most_once},
          {"1", protocol::qos::at_least_once},
          {"2", protocol::qos::exactly_once}};
}

namespace {

bool read_file(const std::string& name, std::string& to) {
  std::ifstream file{name, std::ios::binary};
  to.assign(std::istreambuf_iterator<char>{file}, {});
  return file.is_open() && !to.empty();
}

void add_what(CLI::App& app, load_options& to) {
  load_plan& plan = to.plan;
  if (plan.kind == load_kind::connect) return;
  app.add_option("-t,--topic", plan.topic,
                 "%i in it is its number, %s that of the message; default one of this run's own");
  add_choice(app, "-q,--qos", plan.quality, quality_words(), "of messages and subscriptions; default 0");
  if (plan.kind != load_kind::round_trip) {
    add_quantity(app, "--topics", plan.topics,
                 "number of topics when the name has a %i; default one a client");
    if (plan.kind != load_kind::publish)
      app.add_option("--share", plan.share, "subscribe as members of this group");
  }
  if (!plan.publishes()) return;
  CLI::Option* size = add_parsed(app, "-s,--size", "of a payload: 256, 4KiB; default 256", "SIZE",
                                 [&plan](const std::string& word) {
                                   const auto bytes = config::parse_bytes(word);
                                   if (!bytes || bytes->value > 200'000'000) return false;
                                   plan.payload = static_cast<std::size_t>(bytes->value);
                                   return true;
                                 });
  add_pairs(app, "--user-property", plan.user_properties, "of every message (MQTT 5.0); again and again");
  if (plan.kind == load_kind::round_trip) return;
  add_parsed(app, "-m,--message", "this text as payload, or @FILE for what is in it", "TEXT",
             [&plan](const std::string& word) {
               plan.text = word;
               return !word.starts_with('@') || read_file(word.substr(1), plan.text);
             })
      ->excludes(size);
  app.add_flag("-r,--retain", plan.retain, "messages are to be retained");
}

void add_upsets(CLI::App& app, load_options& to) {
  load_plan& plan = to.plan;
  if (plan.kind == load_kind::round_trip || plan.kind == load_kind::connect) return;
  add_parsed(app, "--churn", "so many clients a second leave and come back meanwhile: 10, 10/s", "RATE",
             [&plan](std::string word) {
               if (word.ends_with("/s")) word.resize(word.size() - 2);
               const auto value = parse_quantity(word);
               if (!value || *value < 0 || *value > 1e6) return false;
               plan.churn = *value;
               return true;
             });
  add_quantity(app, "--churners", plan.churners, "clients that do so, in turn; default 10");
  if (plan.kind != load_kind::run) return;
  add_quantity(app, "--slow", plan.slow, "so many of the subscribers take their time; default 0");
  add_duration(app, "--slow-pause", plan.slow_pause, "that they take for a message; default 10ms");
}

/// "0..10k/30s": a rate that rises.
bool read_ramp(const std::string& word, load_plan& plan) {
  const auto dots = word.find("..");
  const auto slash = word.find('/');
  if (dots == std::string::npos || slash == std::string::npos || slash < dots) return false;
  const auto from = parse_quantity(word.substr(0, dots));
  const auto to = parse_quantity(word.substr(dots + 2, slash - dots - 2));
  const auto time = config::parse_duration(word.substr(slash + 1));
  if (!from || !to || !time || *from < 0 || *to <= 0) return false;
  plan.ramp_from = *from;
  plan.rate = *to;
  plan.ramp_time = std::chrono::duration_cast<std::chrono::milliseconds>(*time);
  return plan.ramp_time.count() > 0;
}

/// "100/1s": so many at once, so often.
bool read_burst(const std::string& word, load_plan& plan) {
  const auto slash = word.find('/');
  if (slash == std::string::npos) return false;
  const auto count = parse_quantity(word.substr(0, slash));
  const auto time = config::parse_duration(word.substr(slash + 1));
  if (!count || !time || *count < 1 || *count > 1e9 || time->count() <= 0) return false;
  plan.burst = static_cast<std::uint32_t>(*count);
  plan.rate = *count / std::chrono::duration<double>{*time}.count();
  return true;
}

/// Rates by other words than --rate.
void add_how_fast(CLI::App& app, load_options& to) {
  load_plan& plan = to.plan;
  CLI::Option* ramp =
      add_parsed(app, "--ramp", "open loop: a rate that rises, 0..100k/30s, and stays then", "FROM..TO/TIME",
                 [&plan](const std::string& word) { return read_ramp(word, plan); });
  CLI::Option* burst =
      add_parsed(app, "--burst", "open loop: so many messages at once, again and again: 100/1s", "N/TIME",
                 [&plan](const std::string& word) { return read_burst(word, plan); });
  for (const char* other : {"--rate", "--rate-per-client", "--interval-of-msg"}) {
    ramp->excludes(app.get_option(other));
    burst->excludes(app.get_option(other));
  }
  ramp->excludes(burst);
}

void add_how_much(CLI::App& app, load_options& to) {
  load_plan& plan = to.plan;
  const bool ends_alone = plan.publishes();
  add_duration(app, plan.kind == load_kind::connect ? "-d,--duration,--hold" : "-d,--duration", to.duration,
               plan.kind == load_kind::connect ? "how long connections are held; default 0s"
               : ends_alone                    ? "measured time; default 10s, or none with --limit"
                                               : "measured time; default: until interrupted");
  add_duration(app, "--timeout", plan.timeout, "of the whole run; later it has failed; default none");
  if (plan.kind == load_kind::connect) return;
  CLI::Option* limit =
      add_quantity(app, "-L,--limit", plan.limit,
                   ends_alone ? "messages sent by all, exactly" : "messages received by all");
  add_duration(app, "--warmup", to.warm_up, "before, not measured; default 1s, 0s with a limit");
  add_duration(app, "--cooldown", plan.cool_down,
               "after, not measured, while messages still flow; default 0s");
  add_duration(app, "--drain", plan.drain, "longest wait for what is on its way; default 5s");
  if (!ends_alone) return;
  add_quantity(app, "--messages", plan.messages, "sent by each client")->excludes(limit);
  add_parsed(app, "-F,--inflight",
             "messages of a client without outcome or receipt; default 100; with a rate, what is due waits "
             "for its turn",
             "NUMBER", [&to](const std::string& word) {
               const auto value = parse_quantity(word);
               if (!value || *value < 0 || *value > 1e9) return false;
               to.plan.window = static_cast<std::uint32_t>(*value);
               return to.has_window = true;
             });
  CLI::Option* rate = add_quantity(app, "--rate", plan.rate,
                                   "open loop: messages a second by all clients, by the clock: 50k");
  CLI::Option* each = add_quantity(app, "--rate-per-client", to.rate_per_client, "the same for each client");
  CLI::Option* gap = add_quantity(app, "-I,--interval-of-msg,--interval_of_msg", to.message_interval,
                                  "open loop: ms between two messages of a client");
  rate->excludes(each)->excludes(gap);
  each->excludes(gap);
  add_how_fast(app, to);
  add_choice(app, "--arrival", plan.poisson,
             std::map<std::string, bool>{{"constant", false}, {"poisson", true}},
             "of the open loop: evenly spaced or at random; default constant");
  add_quantity(app, "--seed", plan.seed, "of what is at random; default 42");
  if (plan.kind != load_kind::publish)
    app.add_flag("--verify", plan.verify,
                 "every message once, in order, with the right octets; else status 3");
}

} // namespace

void add_work_options(CLI::App& app, load_options& to) {
  add_what(app, to);
  add_upsets(app, to);
  add_how_much(app, to);
}

void add_output_options(CLI::App& app, load_options& to) {
  add_choice(app, "--format", to.format,
             std::map<std::string, load_format>{{"text", load_format::text},
                                                {"json", load_format::json},
                                                {"csv", load_format::csv},
                                                {"markdown", load_format::markdown},
                                                {"html", load_format::html}},
             "of standard output; default text");
  app.add_option("-o,--output", to.outputs,
                 "also write to FILE, as its ending says: .json .csv .md .html .txt");
  app.add_option(
      "--threshold", to.threshold_texts,
      "a condition on the result, e.g. 'e2e.p99<5ms', 'recv.rate>=100k', 'lost==0'; not met: status 99");
  add_parsed(app, "--percentiles", "of latencies, in tables and files; default 50,90,99,99.9,99.99", "LIST",
             [&to](const std::string& word) {
               auto all = parse_percentiles(word);
               if (all) to.percentiles = std::move(*all);
               return all.has_value();
             });
  app.add_option("--baseline", to.baseline, "a result file; a significant loss against it: status 99")
      ->check(CLI::ExistingFile);
  app.add_option("--max-regression", to.max_regression, "percent; a smaller change is none")
      ->check(CLI::Range(0.0, 1e6))
      ->capture_default_str();
  app.add_option("--hdr", to.hdr, "write FILE: the percentiles of a latency, as HdrHistogram prints them");
  if (to.plan.kind != load_kind::connect && to.plan.kind != load_kind::publish)
    app.add_option("--raw", to.raw, "write FILE as CSV: every receipt by itself; this costs speed");
  add_pairs(app, "--label", to.plan.labels, "a word about this run, kept in its results; again and again");
  app.add_flag("-w,--wait-before-publishing", to.waits,
               "always so: nobody publishes before all are connected");
  app.add_option("--repeat", to.repeat, "do it so often and say how much the runs differ; default 1")
      ->check(CLI::Range(1, 1'000));
  app.add_option("--time-series", to.time_series, "write FILE as CSV: rates and percentiles over time");
  add_parsed(app, "--progress", "of the line on standard error; off: none; default 1s", "TIME",
             [&to](const std::string& word) {
               const auto time = word == "off" ? std::chrono::milliseconds{0} : config::parse_duration(word);
               if (time) to.progress = *time;
               return time.has_value();
             });
  app.add_flag("--quiet", to.quiet, "no such line");
  app.add_option("--config", to.config,
                 "FILE: TOML whose keys are these long options; what is said here wins over it");
  app.add_flag("--print-config", to.prints_config, "print what was said as such a file and leave");
  app.add_flag("--dry-run", to.dry_run, "print what would be done and leave");
}

} // namespace troupe::bench
