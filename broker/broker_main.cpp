// troupe-broker: an MQTT broker of its own.
//
// Exit status: 0 after SIGTERM or SIGINT, 1 when it cannot listen, 2 when its settings are wrong.
#include "broker.hpp"
#include "broker_setup.hpp"

#include "../config/broker_settings.hpp"
#include "../config/load.hpp"
#include "../runtime/log.hpp"

#include <csignal>
#include <cstdio>
#include <iostream>
#include <string>
#include <system_error>
#include <vector>

#include <pthread.h>

namespace {

constexpr int cannot_listen = 1;
constexpr int wrong_settings = 2;

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

int serve(const troupe::config::broker_settings& settings, const sigset_t& signals) {
  auto options = troupe::brokerage::stage_options_of(settings);
  options.log = troupe::log_to_stderr();
  troupe::stage stage{options};
  troupe::broker broker{stage, troupe::brokerage::options_of(settings)};
  for (const auto& one : settings.endpoints()) {
    const auto bound = broker.listen(one.url, troupe::brokerage::listen_options_of(one));
    if (!bound) {
      std::cerr << "troupe-broker: cannot listen at " << one.url << ": " << bound.error().message() << '\n';
      return cannot_listen;
    }
    std::cout << "listening on " << *bound
              << std::endl; // NOLINT(performance-avoid-endl): somebody waits for it
  }
  // SIGHUP would read the settings again; none of them can change while clients are connected.
  while (await(signals) == SIGHUP)
    std::cerr << "troupe-broker: SIGHUP: no setting can change while running\n";
  broker.stop();
  return 0;
}

} // namespace

int main(int argc, char** argv) {
  const sigset_t signals = block_signals();
  troupe::config::broker_settings settings;
  const auto loaded = troupe::config::load(settings, {.program = "troupe-broker",
                                                      .purpose = "An MQTT 3.1.1 and 5.0 broker.",
                                                      .environment_prefix = "TROUPE_BROKER_",
                                                      .arguments = troupe::config::arguments_of(argc, argv)});
  if (!loaded.help.empty()) {
    std::cout << loaded.help;
    return 0;
  }
  if (!loaded.problems.empty()) return print_problems(loaded.problems);
  if (const auto missing = troupe::brokerage::what_is_not_there(settings); !missing.empty())
    return print_problems(missing);
  try {
    return serve(settings, signals);
  } catch (const std::system_error& error) { // the stage found no threads or descriptors
    std::cerr << "troupe-broker: " << error.what() << '\n';
    return cannot_listen;
  }
}
