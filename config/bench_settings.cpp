#include "bench_settings.hpp"

#include "transport_settings.hpp"

namespace troupe::config {

description bench_settings::describe() {
  return {
      .fields = {
          {.key = "filter", .where = &filter, .sentence = "Which cases, a glob over their ids"},
          {.key = "version",
           .where = &version,
           .sentence = "Of MQTT",
           .choices = {"both", "5.0", "3.1.1"},
           .letter = 'V'},
          {.key = "transport",
           .where = &transport,
           .sentence = "How client and broker meet",
           .choices = {"all", "tcp", "tls", "unix", "loopback"}},
          {.key = "qos", .where = &qos, .sentence = "Only these qualities of service", .letter = 'q'},
          {.key = "payload", .where = &payload, .sentence = "Only these sizes"},
          {.key = "systems",
           .where = &systems,
           .sentence = "Client and broker in one actor system or in two",
           .least = 1,
           .most = 2},
          {.key = "scheduler",
           .where = &scheduler,
           .sentence = "Whose scheduler runs the actors",
           .choices = {"own", "sharing", "stealing"}},
          {.key = "workers", .where = &workers, .sentence = "Threads of a stage", .least = 1, .most = 1'024},
          {.key = "broker", .where = &broker, .sentence = "embedded, or the URL of one that runs already"},
          {.key = "job", .where = &job, .sentence = "How often is measured", .choices = {"short", "full"}},
          {.key = "full", .where = &full, .sentence = "Every row"},
          {.key = "format",
           .where = &format,
           .sentence = "Of the result",
           .choices = {"text", "json", "markdown", "html"}},
      }};
}

std::vector<problem> bench_settings::check() const {
  std::vector<problem> found;
  for (const std::string& each : qos)
    if (each != "0" && each != "1" && each != "2")
      found.push_back({"", 0, "qos", "wants 0, 1 or 2, not " + each});
  for (const std::string& each : payload)
    if (!parse_bytes(each)) found.push_back({"", 0, "payload", "wants sizes like 10 or 1KiB, not " + each});
  if (!broker.starts_with("embedded"))
    if (auto wrong = misfit_of_endpoint(broker); !wrong.empty()) found.push_back({"", 0, "broker", wrong});
  return found;
}

} // namespace troupe::config
