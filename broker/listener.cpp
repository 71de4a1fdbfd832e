#include "listener.hpp"

#include "../runtime/bridge_transport.hpp"
#include "../runtime/inlet.hpp"

#include <algorithm>
#include <utility>

namespace troupe::brokerage {

namespace {

/// On the thread of `where`, which is the home of one of the shards.
void hand_over(const listener::shard_refs& shards, const runtime::home& where, runtime::transport_ptr pipe) {
  const auto mine =
      std::find_if(shards.begin(), shards.end(), [&](const auto& one) { return &one->where() == &where; });
  if (mine == shards.end()) return;
  runtime::inlet<visitor> to{(*mine)->door()};
  visitor arrived{newcomer{runtime::bridge((*mine)->line(), std::move(pipe))}};
  // full or closed: the transport goes, and with it the connection
  static_cast<void>(to.push(arrived));
}

} // namespace

listener::listener(runtime::house& where, shard_refs shards, runtime::accept_options options)
    : turns_{std::make_shared<turns>()},
      acceptor_{where.homes()[0], std::move(options), [turns = turns_]() -> runtime::home& {
                  const std::size_t turn = turns->next.fetch_add(1, std::memory_order_relaxed);
                  return turns->shards[turn % turns->shards.size()]->where();
                }} {
  turns_->shards = std::move(shards);
}

listener::~listener() = default;

protocol::result<runtime::endpoint> listener::listen(const runtime::endpoint& at) {
  auto bound = acceptor_.listen(at, [turns = turns_](runtime::home& where, runtime::transport_ptr pipe) {
    hand_over(turns->shards, where, std::move(pipe));
  });
  if (bound) bound_ = runtime::to_string(*bound);
  return bound;
}

void listener::close() {
  if (bound_.empty()) return;
  bound_.clear();
  const auto closed = std::make_shared<stop_latch>(1);
  acceptor_.close([closed] { closed->count_down(); });
  closed->wait();
}

} // namespace troupe::brokerage
