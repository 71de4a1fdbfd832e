#include "broker_place.hpp"

#include "bench_certificate.hpp"
#include "load_plan.hpp"

#include <exception>

namespace troupe::bench {
namespace {

stage_options options_of_stage(std::size_t workers) {
  stage_options options;
  options.workers = workers;
  options.name = "load";
  return options;
}

} // namespace

broker_place::broker_place(const std::string& broker, std::size_t workers)
    : stage_{options_of_stage(workers)}, endpoint_{broker} {
  const std::string wanted = embedded_endpoint(broker);
  if (wanted.empty()) return;
  broker_options options;
  options.max_inflight = 65'535;
  broker_.emplace(stage_, options);
  listen_options how;
  try {
    if (wanted.starts_with("mqtts") || wanted.starts_with("wss")) {
      const auto card = bench_certificate::make();
      certificate_ = card.certificate;
      how.tls = {.cert_file = card.certificate, .key_file = card.key};
    }
  } catch (const std::exception& problem) {
    failure_ = problem.what();
    return;
  }
  const auto bound = broker_->listen(wanted, how);
  if (bound)
    endpoint_ = *bound;
  else
    failure_ = "listen: " + bound.error().message();
}

std::optional<broker_statistics> broker_place::statistics() const {
  if (!broker_) return std::nullopt;
  return broker_->statistics();
}

} // namespace troupe::bench
