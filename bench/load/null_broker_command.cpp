// null-broker: the bare broker as a program of its own.
#include "bare_broker.hpp"
#include "command.hpp"
#include "interrupt.hpp"

#include <CLI/CLI.hpp>

#include <chrono>
#include <cstdio>
#include <memory>
#include <system_error>
#include <thread>

namespace troupe::bench {
namespace {

int serve(std::uint16_t port) {
  interrupt signals;
  try {
    bare_broker broker{port};
    std::printf("listening on %s\n", broker.url().c_str());
    std::fflush(stdout);
    std::thread worker{[&broker] { broker.run(); }};
    while (!signals.wait(std::chrono::hours{1})) {}
    broker.stop();
    worker.join();
    return exit_clean;
  } catch (const std::system_error& problem) {
    std::fprintf(stderr, "troupe-bench null-broker: port %u: %s\n", port, problem.code().message().c_str());
    return exit_failed;
  }
}

} // namespace

command add_null_broker(CLI::App& program) {
  const auto port = std::make_shared<std::uint16_t>(0);
  CLI::App* app = program.add_subcommand(
      "null-broker",
      "answers and forwards with one thread and epoll, and nothing else: for measuring clients");
  app->add_option("-p,--port", *port,
                  "of 127.0.0.1; default one that is free, as it says on standard output");
  app->footer(
      "No session, nothing retained, nothing sent again, no shared subscriptions, no limits: not for use.\n"
      "It ends with SIGINT or SIGTERM, status 0; 1: it could not listen.");
  return [port] { return serve(*port); };
}

} // namespace troupe::bench
