// troupe-broker: an MQTT broker of its own.
//
// Exit status: 0 after SIGTERM or SIGINT, 1 when it cannot listen or have its bridges, 2 when its settings are
// wrong. SIGHUP reads passwords, access rules and certificates again.
#include "bridge_setup.hpp"
#include "broker.hpp"
#include "broker_setup.hpp"
#include "metrics_endpoint.hpp"
#include "passwd_command.hpp"
#include "password_check.hpp"
#include "reload.hpp"
#include "service_notice.hpp"

#include "../config/broker_settings.hpp"
#include "../config/load.hpp"
#include "../runtime/log.hpp"

#include <csignal>
#include <cstddef>
#include <cstdio>
#include <ctime>
#include <iostream>
#include <memory>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <pthread.h>
#include <unistd.h>

namespace {

constexpr int cannot_listen = 1;
constexpr int wrong_settings = 2;

constexpr const char* advice =
    "Every option is also a key of the file (max_keep_alive = \"60s\") and a variable\n"
    "(TROUPE_BROKER_MAX_KEEP_ALIVE=60s); the option counts most, then the variable, then the file.\n"
    "Durations: 500ms, 30s, 2h; sizes: 64KiB, 1MB.\n\n"
    "Examples:\n"
    "  troupe-broker                                       a broker for this machine, at port 1883\n"
    "  troupe-broker --listener mqtt://0.0.0.0:1883        for everybody who can reach it\n"
    "  troupe-broker passwd users ann                      asks for ann's password and keeps it in users\n"
    "  troupe-broker --password-file users --no-allow-anonymous\n"
    "  troupe-broker --config broker.toml --print-config   what would hold, as a file\n\n"
    "Signals: SIGTERM and SIGINT end it in order, SIGHUP reads passwords, access rules and certificates\n"
    "again. Exit status: 0 in order, 1 no listener or bridge, 2 its settings are wrong. More: man "
    "troupe-broker.";

/// Blocks them in this thread and all that it starts, so that await() alone takes them.
sigset_t block_signals() {
  sigset_t set;
  sigemptyset(&set);
  for (const int each : {SIGTERM, SIGINT, SIGHUP}) sigaddset(&set, each);
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
  std::signal(SIGPIPE, SIG_IGN);
  return set;
}

int await(const sigset_t& signals) {
  int which = 0;
  while (sigwait(&signals, &which) != 0) {}
  return which;
}

int print_problems(const std::vector<troupe::config::problem>& problems) {
  for (const auto& one : problems) std::cerr << "troupe-broker: " << to_string(one) << '\n';
  return wrong_settings;
}

int refuse_store(const troupe::config::broker_settings& settings, std::error_code why) {
  return print_problems({{.key = "persistence", .what = settings.persistence + ": " + why.message()}});
}

/// Why the settings cannot be obeyed; `passwords` become those of the password file.
std::vector<troupe::config::problem> misfits_of(
    const troupe::config::broker_settings& settings,
    std::shared_ptr<troupe::brokerage::password_check>& passwords) {
  if (settings.password_file.empty()) return {};
  auto read = troupe::brokerage::read_passwords(settings.password_file);
  if (read.problems.empty())
    passwords = std::make_shared<troupe::brokerage::password_check>(std::move(read.table),
                                                                    settings.max_password_checks);
  return std::move(read.problems);
}

void read_again(troupe::brokerage::reload& settings, const troupe::config::sources& from) {
  const auto said = settings.again(from);
  print_problems(said.problems);
  if (!said.problems.empty()) std::cerr << "troupe-broker: goes on with what it had\n";
  for (const std::string& one : said.notes) std::cerr << "troupe-broker: read again: " << one << '\n';
}

/// The moment goes with it, so that the manager knows which reload is over.
std::string reloading_now() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  const auto microseconds = static_cast<long long>(now.tv_sec) * 1'000'000 + now.tv_nsec / 1'000;
  return "RELOADING=1\nMONOTONIC_USEC=" + std::to_string(microseconds);
}

/// Listens at all endpoints and says so; false: at one it cannot.
bool open_doors(troupe::broker& broker, const troupe::config::broker_settings& settings,
                std::vector<std::string>& bound) {
  for (const auto& one : settings.endpoints()) {
    const auto at = broker.listen(one.url, troupe::brokerage::listen_options_of(one));
    if (!at) {
      std::cerr << "troupe-broker: cannot listen at " << one.url << ": " << at.error().message() << '\n';
      return false;
    }
    bound.push_back(*at);
    std::cout << "listening on " << *at << std::endl; // NOLINT(performance-avoid-endl): somebody waits for it
  }
  return true;
}

using metrics = std::unique_ptr<troupe::brokerage::metrics_endpoint>;

/// Nothing where none is wanted; false: it cannot be had.
bool open_metrics(const troupe::broker& broker, const std::string& address, metrics& opened) {
  if (address.empty()) return true;
  auto made = troupe::brokerage::metrics_endpoint::make(broker, address);
  if (!made) {
    std::cerr << "troupe-broker: no metrics at " << address << ": " << made.error().message() << '\n';
    return false;
  }
  opened = std::move(*made);
  std::cout << "metrics on http://" << address.substr(0, address.rfind(':')) << ':' << opened->port()
            << "/metrics" << std::endl; // NOLINT(performance-avoid-endl): likewise
  return true;
}

/// False: one cannot be had. A remote broker that is away is no reason.
bool open_bridges(troupe::stage& stage, troupe::broker& broker,
                  const std::vector<troupe::config::bridge_settings>& wanted,
                  troupe::brokerage::bridge_list& opened) {
  for (std::size_t place = 0; place != wanted.size(); ++place) {
    auto how = troupe::brokerage::bridge_options_of(wanted, place);
    const std::string name = how.name;
    auto made = troupe::bridge::make(stage, broker, std::move(how));
    if (!made) {
      std::cerr << "troupe-broker: no bridge " << name << ": " << made.error().message() << '\n';
      return false;
    }
    opened.push_back(std::move(*made));
    std::cout << "bridge " << name << " is open" << std::endl; // NOLINT(performance-avoid-endl): likewise
  }
  return true;
}

int serve(const troupe::config::broker_settings& settings, const troupe::config::sources& from,
          const std::shared_ptr<troupe::brokerage::password_check>& passwords, const sigset_t& signals) {
  auto how = troupe::brokerage::options_of(settings);
  how.proof = passwords;
  if (!settings.persistence.empty()) {
    auto store = troupe::open_store(settings.persistence, troupe::log_to_stderr());
    if (!store) return refuse_store(settings, store.error());
    how.store = std::move(*store);
  }
  auto options = troupe::brokerage::stage_options_of(settings);
  options.log = troupe::log_to_stderr();
  troupe::stage stage{options};
  troupe::broker broker{stage, std::move(how)};
  if (broker.fault()) return refuse_store(settings, broker.fault());
  std::vector<std::string> bound;
  metrics figures;
  troupe::brokerage::bridge_list bridges;
  if (!open_doors(broker, settings, bound) || !open_metrics(broker, settings.metrics_address, figures)
      || !open_bridges(stage, broker, settings.bridges, bridges))
    return cannot_listen;
  troupe::brokerage::reload settings_in_use{broker, settings, passwords, std::move(bound)};
  troupe::brokerage::notify_service("READY=1");
  while (await(signals) == SIGHUP) {
    troupe::brokerage::notify_service(reloading_now());
    read_again(settings_in_use, from);
    troupe::brokerage::notify_service("READY=1");
  }
  troupe::brokerage::notify_service("STOPPING=1");
  figures.reset();
  troupe::brokerage::stop_together(bridges);
  broker.stop();
  return 0;
}

} // namespace

int main(int argc, char** argv) {
  auto arguments = troupe::config::arguments_of(argc, argv);
  if (!arguments.empty() && arguments.front() == "passwd") {
    arguments.erase(arguments.begin());
    return troupe::brokerage::passwd_command(arguments, std::cin, std::cerr,
                                             isatty(STDIN_FILENO) == 1 ? STDIN_FILENO : -1);
  }
  const sigset_t signals = block_signals();
  const troupe::config::sources from{.program = "troupe-broker",
                                     .purpose = "An MQTT 3.1.1 and 5.0 broker.",
                                     .prints = true,
                                     .advice = advice,
                                     .environment_prefix = "TROUPE_BROKER_",
                                     .arguments = std::move(arguments)};
  troupe::config::broker_settings settings;
  const auto loaded = troupe::config::load(settings, from);
  if (!loaded.help.empty()) {
    std::cout << loaded.help;
    return 0;
  }
  if (!loaded.problems.empty()) return print_problems(loaded.problems);
  if (loaded.is_print_wanted) {
    std::cout << troupe::config::print(settings.describe());
    return 0;
  }
  try {
    std::shared_ptr<troupe::brokerage::password_check> passwords;
    if (const auto wrong = misfits_of(settings, passwords); !wrong.empty()) return print_problems(wrong);
    return serve(settings, from, passwords, signals);
  } catch (const std::system_error& error) { // the stage found no threads or descriptors
    std::cerr << "troupe-broker: " << error.what() << '\n';
    return cannot_listen;
  }
}
