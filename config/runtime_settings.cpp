#include "runtime_settings.hpp"

namespace troupe::config {

std::vector<field> runtime_settings::fields() {
  return {
      {.key = "workers",
       .where = &workers,
       .sentence = "Threads that run actors and sockets; 0: one per core, at most 4",
       .most = 1'024},
      {.key = "wake",
       .where = &wake,
       .sentence = "What an idle worker does: yield favours throughput, spin latency",
       .choices = {"automatic", "yield", "spin", "plain"}},
  };
}

} // namespace troupe::config
