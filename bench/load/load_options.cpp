#include "load_options.hpp"

#include "load_threshold.hpp"
#include "load_work_options.hpp"
#include "local_ports.hpp"
#include "option_words.hpp"

#include "../../runtime/endpoint.hpp"

#include <CLI/CLI.hpp>

#include <unistd.h>

#include <cstdio>
#include <map>

namespace troupe::bench {
namespace {

using std::chrono::milliseconds;

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
  CLI::Option* web = app.add_flag("--ws", to.web, "WebSocket, as ws:// says; with --ssl as wss://");
  CLI::Option* path = app.add_option("--path", to.path, "of the WebSocket; default /mqtt")->needs(web);
  for (CLI::Option* each : {host, port, url, ssl, web, path}) broker->excludes(each);
  for (CLI::Option* each : {host, port, ssl, web, path}) url->excludes(each);
  app.add_option("--cafile", plan.ca_file, "TLS: whom to trust; default: the system's authorities");
  CLI::Option* cert = app.add_option("--cert", plan.cert_file, "TLS: our certificate");
  app.add_option("--key", plan.key_file, "TLS: its key")->needs(cert);
  app.add_option("--alpn", plan.alpn, "TLS: protocols we offer; default mqtt")->delimiter(',');
  app.add_flag("--insecure", plan.insecure, "TLS: trust any certificate");
  add_parsed(app, "--ifaddr",
             "dial from this address of ours, or from several by turns: each has local ports of its own",
             "A,B,...", [&plan](const std::string& word) {
               plan.local_addresses = parse_addresses(word);
               return !plan.local_addresses.empty();
             });
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
  CLI::Option* prefix = app.add_option("--prefix", plan.prefix, "of client ids");
  if (plan.kind != load_kind::run && plan.kind != load_kind::round_trip)
    app.add_option("--client-id", plan.client_id, "%i in it is the client's number")->excludes(prefix);
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
  add_choice(app, "--reconnect", plan.reconnects,
             std::map<std::string, bool>{{"never", false}, {"backoff", true}},
             "what becomes of a lost connection; default never");
  app.add_option("--will-topic", plan.will_topic, "of each client's will; %i in it is its number");
  app.add_option("--will-message", plan.will_text, "text of the will");
  add_choice(app, "--will-qos", plan.will_quality, quality_words(), "of the will; default 0");
  app.add_flag("--will-retain", plan.will_retain, "the will is to be retained");
  add_parsed(app, "--will-delay", "seconds (MQTT 5.0); default 0", "SECONDS",
             [&plan](const std::string& word) {
               const auto value = parse_quantity(word);
               if (!value || *value < 0 || *value > 4'294'967'295.0) return false;
               plan.will_delay = std::chrono::seconds{static_cast<std::int64_t>(*value)};
               return true;
             });
  add_duration(app, "--connect-timeout", plan.connect_timeout, "longest time for one client; default 10s");
}

void resolve_broker(load_options& options) {
  if (options.host.empty() && options.port == 0 && !options.secure && !options.web) return;
  const std::string host = options.host.empty() ? "localhost" : options.host;
  if (options.web) {
    const std::uint16_t port = options.port != 0 ? options.port : options.secure ? 443 : 80;
    const bool is_rooted = options.path.starts_with('/');
    options.plan.broker = (options.secure ? "wss://" : "ws://") + runtime::authority(host, port)
                          + (is_rooted ? "" : "/") + options.path;
    return;
  }
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
  if (plan.turn == load_turn::retained) plan.topic += "/%s";
}

std::string escaped(const std::string& word) {
  std::string text;
  for (const char each : word) {
    if (each == '"' || each == '\\') text += '\\';
    text += each;
  }
  return text;
}

/// What was said, as a configuration file.
std::string words_of(const CLI::App& app) {
  std::string text;
  for (const CLI::Option* each : app.get_options()) {
    const std::string name = each->get_lnames().empty() ? std::string{} : each->get_lnames().front();
    if (each->count() == 0 || name == "config" || name == "print-config" || name == "dry-run") continue;
    const bool is_flag = each->get_expected_max() == 0;
    std::string values;
    for (const std::string& word : each->results())
      values += (values.empty() ? "\"" : ", \"") + escaped(word) + '"';
    if (is_flag) values = "true"; // that it was said, whatever it stands for
    text += name + " = " + (!is_flag && each->results().size() > 1 ? '[' + values + ']' : values) + '\n';
  }
  return text;
}

} // namespace

void add_load_options(CLI::App& app, load_options& to) {
  add_where(app, to);
  add_who(app, to);
  add_work_options(app, to);
  add_output_options(app, to);
  for (CLI::Option* each : app.get_options())
    if (each->get_expected_max() == 1) each->take_last();
  app.callback([&app, &to] { to.config_text = words_of(app); });
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
  if (plan.kind == load_kind::run && plan.pairs && plan.subscribers == 0) plan.subscribers = plan.publishers;
  if (options.connect_interval > 0) plan.connect_rate = 1e3 / options.connect_interval;
  if (options.message_interval > 0) plan.rate = 1e3 / options.message_interval * plan.publishers;
  const bool says_rate =
      options.has_window || options.message_interval > 0 || options.rate_per_client > 0 || plan.rate > 0;
  if (!says_rate) plan.rate = options.usual_rate_per_client * plan.publishers;
  if (options.rate_per_client > 0) plan.rate = options.rate_per_client * plan.publishers;
  if (plan.messages != 0) plan.limit = plan.messages * plan.publishers;
  if (plan.is_open_loop() && !options.has_window) plan.window = 0;
  const bool has_limit = plan.limit != 0;
  plan.duration = options.usual_duration;
  if (plan.kind == load_kind::connect || plan.kind == load_kind::subscribe) plan.duration = milliseconds{0};
  if (has_limit) plan.duration = milliseconds{0};
  if (options.duration) plan.duration = *options.duration;
  if (plan.publishes() && !has_limit && plan.duration.count() == 0)
    return "without a --limit there must be a --duration";
  if (has_limit || !plan.publishes()) plan.warm_up = milliseconds{0};
  if (options.warm_up) plan.warm_up = *options.warm_up;
  plan.logs_events = !options.raw.empty();
  for (const std::string& text : options.threshold_texts) {
    auto what = parse_condition(text);
    if (!what || !has_figure_name(what->metric))
      return "'" + text + "' is no condition; try 'e2e.p99<5ms' or 'recv.rate>=100k'";
    options.thresholds.push_back(std::move(*what));
  }
  return misfit_of(plan);
}

} // namespace troupe::bench
