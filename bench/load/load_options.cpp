#include "load_options.hpp"

#include "load_threshold.hpp"

#include "../../config/units.hpp"
#include "../../runtime/endpoint.hpp"

#include <CLI/CLI.hpp>

#include <unistd.h>

#include <cstdio>
#include <map>

namespace troupe::bench {
namespace {

using std::chrono::milliseconds;

template <class Set>
CLI::Option* add_parsed(CLI::App& app, const std::string& names, const std::string& text,
                        const std::string& type, Set set) {
  return app
      .add_option_function<std::string>(
          names,
          [names, set](const std::string& word) {
            if (!set(word)) throw CLI::ValidationError{names, "'" + word + "' is not understood"};
          },
          text)
      ->type_name(type);
}

template <class Target>
CLI::Option* add_duration(CLI::App& app, const std::string& names, Target& to, const std::string& text) {
  return add_parsed(app, names, text, "TIME", [&to](const std::string& word) {
    const auto time = config::parse_duration(word);
    if (time) to = std::chrono::duration_cast<milliseconds>(*time);
    return time.has_value();
  });
}

template <class Number>
CLI::Option* add_quantity(CLI::App& app, const std::string& names, Number& to, const std::string& text) {
  return add_parsed(app, names, text, "NUMBER", [&to](const std::string& word) {
    const auto value = parse_quantity(word);
    if (!value || *value < 0 || *value > 1e15) return false;
    to = static_cast<Number>(*value);
    return true;
  });
}

template <class Value>
CLI::Option* add_choice(CLI::App& app, const std::string& names, Value& to,
                        const std::map<std::string, Value>& words, const std::string& text) {
  std::string type;
  for (const auto& [word, value] : words) type += (type.empty() ? "" : "|") + word;
  return add_parsed(app, names, text, type, [&to, words](const std::string& word) {
    const auto found = words.find(word);
    if (found != words.end()) to = found->second;
    return found != words.end();
  });
}

void add_where(CLI::App& app, load_options& to) {
  load_plan& plan = to.plan;
  CLI::Option* broker =
      add_parsed(app, "--broker",
                 "embedded (in this process, in memory), embedded:tcp, :tls, :ws, :wss, :unix "
                 "(in this process, by sockets), or a URL; default mqtt://localhost:1883",
                 "BROKER", [&plan](const std::string& word) {
                   plan.broker = word;
                   return !word.empty();
                 });
  CLI::Option* url =
      add_parsed(app, "--url", "of the broker: mqtt://host:port, mqtts://, ws://, wss://, unix:///path",
                 "URL", [&plan](const std::string& word) {
                   plan.broker = word;
                   return !word.empty() && !word.starts_with("embedded");
                 });
  CLI::Option* host = app.add_option("-h,--host", to.host, "of the broker");
  CLI::Option* port = app.add_option("-p,--port", to.port, "of the broker")->check(CLI::Range(1, 65'535));
  CLI::Option* ssl = app.add_flag("-S,--ssl", to.secure, "TLS, as mqtts:// says");
  for (CLI::Option* each : {host, port, url, ssl}) broker->excludes(each);
  for (CLI::Option* each : {host, port, ssl}) url->excludes(each);
  app.add_option("--cafile", plan.ca_file, "TLS: whom to trust; default: the system's authorities");
  CLI::Option* cert = app.add_option("--cert", plan.cert_file, "TLS: our certificate");
  app.add_option("--key", plan.key_file, "TLS: its key")->needs(cert);
  app.add_flag("--insecure", plan.insecure, "TLS: trust any certificate");
  add_choice(app, "-V,--mqtt-version", plan.version,
             std::map<std::string, protocol::version>{{"5", protocol::version::v5_0},
                                                      {"5.0", protocol::version::v5_0},
                                                      {"4", protocol::version::v3_1_1},
                                                      {"3.1.1", protocol::version::v3_1_1}},
             "of MQTT; default 5");
  app.add_option("--workers", plan.workers,
                 "threads of this process that run clients (and the embedded broker)")
      ->check(CLI::Range(1, 64))
      ->capture_default_str();
}

void add_who(CLI::App& app, load_options& to) {
  load_plan& plan = to.plan;
  const bool is_sub = plan.kind == load_kind::subscribe;
  std::uint32_t& clients = is_sub ? plan.subscribers : plan.publishers;
  add_quantity(app, "-c,--clients,--count", clients,
               plan.kind == load_kind::run          ? "publishers, as --publishers"
               : plan.kind == load_kind::round_trip ? "clients that ask"
                                                    : "number of clients")
      ->default_str(std::to_string(clients));
  if (plan.kind == load_kind::run) {
    add_quantity(app, "--publishers", plan.publishers, "number of them; default 1");
    add_quantity(app, "--subscribers", plan.subscribers, "number of them; default 1");
    app.add_flag("--pairs", plan.pairs, "subscriber j takes topic j alone; without it, everybody takes all");
  }
  if (plan.kind == load_kind::round_trip)
    add_quantity(app, "--responders", plan.subscribers, "clients that answer; default 1");
  CLI::Option* interval = add_quantity(app, "-i,--interval", to.connect_interval, "ms between two connects");
  add_quantity(app, "-R,--connrate", plan.connect_rate, "connects a second; default: as fast as they come up")
      ->excludes(interval);
  app.add_option("--prefix", plan.prefix, "of client ids");
  app.add_option("-u,--username", plan.user_name, "");
  app.add_option("-P,--password", plan.password, "");
  add_parsed(app, "-k,--keepalive", "seconds; default 300", "SECONDS", [&plan](const std::string& word) {
    const auto value = parse_quantity(word);
    if (!value || *value < 0 || *value > 65'535) return false;
    plan.keep_alive = std::chrono::seconds{static_cast<int>(*value)};
    return true;
  });
  add_choice(app, "-C,--clean", plan.clean_start,
             std::map<std::string, bool>{{"false", false}, {"true", true}}, "clean start; default true");
  app.add_flag("!--no-clean", plan.clean_start, "the same as --clean false");
  add_parsed(app, "-x,--session-expiry", "seconds (MQTT 5.0); default 0", "SECONDS",
             [&plan](const std::string& word) {
               const auto value = parse_quantity(word);
               if (!value || *value < 0 || *value > 4'294'967'295.0) return false;
               plan.session_expiry = std::chrono::seconds{static_cast<std::int64_t>(*value)};
               return true;
             });
  app.add_option("--receive-maximum", plan.receive_maximum, "QoS 1 and 2 messages a client takes at once")
      ->check(CLI::Range(1, 65'535))
      ->capture_default_str();
  add_duration(app, "--connect-timeout", plan.connect_timeout, "longest time for one client; default 10s");
}

void add_what(CLI::App& app, load_options& to) {
  load_plan& plan = to.plan;
  if (plan.kind == load_kind::connect) return;
  app.add_option("-t,--topic", plan.topic, "%i in it is its number; default one of this run's own");
  add_choice(app, "-q,--qos", plan.quality,
             std::map<std::string, protocol::qos>{{"0", protocol::qos::at_most_once},
                                                  {"1", protocol::qos::at_least_once},
                                                  {"2", protocol::qos::exactly_once}},
             "of messages and subscriptions; default 0");
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
  if (plan.kind == load_kind::round_trip) return;
  app.add_option("-m,--message", plan.text, "this text as payload")->excludes(size);
  app.add_flag("-r,--retain", plan.retain, "messages are to be retained");
}

void add_how_much(CLI::App& app, load_options& to) {
  load_plan& plan = to.plan;
  const bool ends_alone = plan.publishes();
  add_duration(app, plan.kind == load_kind::connect ? "-d,--duration,--hold" : "-d,--duration", to.duration,
               plan.kind == load_kind::connect ? "how long connections are held; default 0s"
               : ends_alone                    ? "measured time; default 10s, or none with --limit"
                                               : "measured time; default: until interrupted");
  if (plan.kind == load_kind::connect) return;
  CLI::Option* limit =
      add_quantity(app, "-L,--limit", plan.limit,
                   ends_alone ? "messages sent by all, exactly" : "messages received by all");
  add_duration(app, "--warmup", to.warm_up, "before, not measured; default 1s, 0s with a limit");
  add_duration(app, "--drain", plan.drain, "longest wait for what is on its way; default 5s");
  if (!ends_alone) return;
  add_quantity(app, "--messages", plan.messages, "sent by each client")->excludes(limit);
  CLI::Option* window =
      add_quantity(app, "-F,--inflight", plan.window,
                   "closed loop: messages of a client without outcome or receipt; default 100");
  CLI::Option* rate = add_quantity(app, "--rate", plan.rate,
                                   "open loop: messages a second by all clients, by the clock: 50k");
  CLI::Option* each = add_quantity(app, "--rate-per-client", to.rate_per_client, "the same for each client");
  CLI::Option* gap = add_quantity(app, "-I,--interval-of-msg,--interval_of_msg", to.message_interval,
                                  "open loop: ms between two messages of a client");
  rate->excludes(each)->excludes(gap)->excludes(window);
  each->excludes(gap)->excludes(window);
  gap->excludes(window);
  add_choice(app, "--arrival", plan.poisson,
             std::map<std::string, bool>{{"constant", false}, {"poisson", true}},
             "of the open loop: evenly spaced or at random; default constant");
  add_quantity(app, "--seed", plan.seed, "of what is at random; default 42");
  if (plan.kind != load_kind::publish)
    app.add_flag("--verify", plan.verify,
                 "every message once, in order, with the right octets; else status 3");
}

void add_output(CLI::App& app, load_options& to) {
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
  app.add_option("--baseline", to.baseline, "a result file; a significant loss against it: status 99")
      ->check(CLI::ExistingFile);
  app.add_option("--max-regression", to.max_regression, "percent; a smaller change is none")
      ->check(CLI::Range(0.0, 1e6))
      ->capture_default_str();
  app.add_option("--time-series", to.time_series, "write FILE as CSV: rates and percentiles over time");
  add_duration(app, "--progress", to.progress, "of the line on standard error; default 1s");
  app.add_flag("--quiet", to.quiet, "no such line");
  app.add_flag("--dry-run", to.dry_run, "print what would be done and leave");
}

void resolve_broker(load_options& options) {
  if (options.host.empty() && options.port == 0 && !options.secure) return;
  const std::string host = options.host.empty() ? "localhost" : options.host;
  const std::uint16_t port = options.port != 0 ? options.port : options.secure ? 8883 : 1883;
  options.plan.broker = (options.secure ? "mqtts://" : "mqtt://") + runtime::authority(host, port);
}

void resolve_names(load_plan& plan) {
  char own[32];
  const auto time = std::chrono::system_clock::now().time_since_epoch().count();
  std::snprintf(own, sizeof own, "%06x%x", static_cast<unsigned>(time / 1'000) & 0xFFFFFFU,
                static_cast<unsigned>(::getpid()));
  if (plan.prefix.empty()) plan.prefix = std::string{"tb"} + own + '-';
  if (!plan.topic.empty()) return;
  const bool meets_another_process = plan.kind == load_kind::publish || plan.kind == load_kind::subscribe;
  plan.topic = meets_another_process ? "troupe-bench/%i" : "troupe-bench/" + std::string{own} + "/%i";
}

} // namespace

void add_load_options(CLI::App& app, load_options& to) {
  add_where(app, to);
  add_who(app, to);
  add_what(app, to);
  add_how_much(app, to);
  add_output(app, to);
  app.footer(
      "sent: handed to the client. acknowledged: its outcome is good (QoS 0: taken by the connection).\n"
      "received: a subscriber's handler was called. Exit status: 0 well, 1 the run failed, 2 wrong usage,\n"
      "3 done, but with errors or messages astray, 99 a threshold not met, 130/143 interrupted.");
}

std::string resolve(load_options& options) {
  load_plan& plan = options.plan;
  resolve_broker(options);
  if (!plan.is_embedded())
    if (const auto where = runtime::parse_endpoint(plan.broker); !where)
      return "--broker " + plan.broker + ": " + where.error().message();
  resolve_names(plan);
  if (options.connect_interval > 0) plan.connect_rate = 1e3 / options.connect_interval;
  if (options.message_interval > 0) plan.rate = 1e3 / options.message_interval * plan.publishers;
  if (options.rate_per_client > 0) plan.rate = options.rate_per_client * plan.publishers;
  if (plan.messages != 0) plan.limit = plan.messages * plan.publishers;
  const bool has_limit = plan.limit != 0;
  if (plan.kind == load_kind::connect || plan.kind == load_kind::subscribe) plan.duration = milliseconds{0};
  if (has_limit) plan.duration = milliseconds{0};
  if (options.duration) plan.duration = *options.duration;
  if (plan.publishes() && !has_limit && plan.duration.count() == 0)
    return "without a --limit there must be a --duration";
  if (has_limit || !plan.publishes()) plan.warm_up = milliseconds{0};
  if (options.warm_up) plan.warm_up = *options.warm_up;
  for (const std::string& text : options.threshold_texts) {
    auto what = parse_condition(text);
    if (!what || !has_figure_name(what->metric))
      return "'" + text + "' is no condition; try 'e2e.p99<5ms' or 'recv.rate>=100k'";
    options.thresholds.push_back(std::move(*what));
  }
  return misfit_of(plan);
}

} // namespace troupe::bench
