#include "cancellation.hpp"

#include "client_core.hpp"

namespace troupe::actors {

void canceller::operator()(boost::asio::cancellation_type) const {
  auto what = what_.lock();
  const auto core = core_.lock();
  if (!what || !core) return;
  auto wish = std::make_unique<control_request>(control::cancel, asker{});
  wish->cancelled = std::move(what);
  core->ask(std::move(wish));
}

} // namespace troupe::actors
