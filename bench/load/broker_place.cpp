#include "broker_place.hpp"

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
  if (!broker.starts_with("embedded")) return;
  broker_options options;
  options.max_inflight = 65'535;
  broker_.emplace(stage_, options);
  const auto bound = broker_->listen(broker == "embedded" ? "loopback://load" : "mqtt://127.0.0.1:0");
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
