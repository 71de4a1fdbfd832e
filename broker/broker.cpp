#include "broker.hpp"

#include "listener.hpp"
#include "packing.hpp"
#include "shard_actor.hpp"
#include "stored_state.hpp"

#include "../protocol/errc.hpp"
#include "../protocol/topic.hpp"
#include "../runtime/house.hpp"
#include "../runtime/record_file.hpp"
#include "../runtime/tls_context.hpp"

#include <algorithm>
#include <future>
#include <mutex>
#include <thread>
#include <utility>

namespace troupe {

using brokerage::listener;
using brokerage::premises;
using brokerage::shard_actor;
using brokerage::shard_number;

namespace {

constexpr std::size_t most_shards = 64; // a set of shards is one word

std::shared_ptr<premises> make_premises(broker_options options, std::size_t workers) {
  auto made = std::make_shared<premises>();
  const std::size_t usual = options.store == nullptr ? workers : 1; // one disk, one order of events
  std::size_t shards = options.shards == 0 ? usual : std::min(options.shards, workers);
  shards = std::clamp<std::size_t>(shards, 1, most_shards);
  if (options.store != nullptr) made->store_failures = options.store->failures();
  made->options = std::move(options);
  made->shards = static_cast<shard_number>(shards);
  made->counts = std::make_unique<brokerage::shard_counters[]>(shards);
  return made;
}

using tls_context_ref = std::shared_ptr<const runtime::tls_context>;

protocol::result<tls_context_ref> context_of(const runtime::endpoint& at, tls_options options) {
  if (at.is_web()) options.alpn = {"http/1.1"};
  return runtime::tls_context::make(runtime::tls_role::server, std::move(options));
}

/// A shard that ended meanwhile answers nothing.
template <class T>
T answer_of(std::future<T>& part) {
  try {
    return part.get();
  } catch (const std::future_error&) {
    return {};
  }
}

} // namespace

struct broker::inside {
  inside(stage& stage, broker_options wanted);
  void read_store();
  void tell(shard_actor& who, brokerage::door_mail what);

  runtime::house& house;
  const std::shared_ptr<premises> place; // shards may only read it
  std::error_code fault{};               // of the store
  std::shared_ptr<brokerage::stop_latch> ended;
  listener::shard_refs shards{};
  std::mutex stopping{}; // held as long as stop() takes; before `mutex`
  mutable std::mutex mutex{};
  std::vector<std::unique_ptr<listener>> listeners{}; // under mutex
  bool is_stopped = false;                            // under mutex
  std::mutex own_mutex{};
  runtime::inlet<brokerage::visitor> own{}; // under own_mutex: what the application publishes, in order
  brokerage::packer own_packer{};           // under own_mutex
};

broker::inside::inside(stage& stage, broker_options wanted)
    : house{stage.inside()},
      place{make_premises(std::move(wanted), house.size())},
      ended{std::make_shared<brokerage::stop_latch>(place->shards)} {
  read_store();
  for (shard_number each = 0; each < place->shards; ++each)
    shards.push_back(house.spawn<shard_actor>(house[each], place, each, ended));
  place->past.reset(); // every shard has taken its part
  for (const auto& one : shards) tell(*one, brokerage::neighbourhood{shards});
  own = runtime::inlet<brokerage::visitor>{shards.front()->door()};
}

void broker::inside::read_store() {
  if (place->options.store == nullptr) return;
  auto past = brokerage::stored_state::read(*place->options.store, place->shards);
  if (past)
    place->past = std::move(*past);
  else
    fault = past.error();
  if (fault) place->options.store = nullptr; // left as it is
}

void broker::inside::tell(shard_actor& who, brokerage::door_mail what) {
  runtime::inlet<brokerage::visitor> to{who.door()};
  brokerage::visitor one{std::move(what)};
  while (to.push(one) == runtime::offer::full) std::this_thread::yield();
}

protocol::result<std::shared_ptr<runtime::record_store>> open_store(const std::string& path, log_sink log) {
  auto file = runtime::record_file::open(path, {.application = brokerage::store_application,
                                                .version = brokerage::store_version,
                                                .log = runtime::logger{std::move(log)}});
  if (!file) return file.error();
  return std::shared_ptr<runtime::record_store>{std::move(*file)};
}

broker::broker(stage& where, broker_options options)
    : inside_{std::make_unique<inside>(where, std::move(options))} {}

broker::~broker() { stop(); }

protocol::result<std::string> broker::listen(std::string_view endpoint, listen_options options) {
  if (inside_->fault) return inside_->fault;
  const auto at = runtime::parse_endpoint(endpoint);
  if (!at) return at.error();
  runtime::accept_options how;
  how.turned_away = inside_->place->turned_away;
  how.greeting_limit = inside_->place->options.connect_timeout;
  if (at->is_secure()) {
    auto context = context_of(*at, std::move(options.tls));
    if (!context) return context.error();
    how.tls = std::move(*context);
  }
  const std::lock_guard lock{inside_->mutex};
  if (inside_->is_stopped) return protocol::errc::closed;
  auto one = std::make_unique<listener>(inside_->house, inside_->shards, std::move(how));
  if (const auto bound = one->listen(*at); !bound) return bound.error();
  return inside_->listeners.emplace_back(std::move(one))->bound();
}

std::error_code broker::fault() const noexcept { return inside_->fault; }

std::vector<std::string> broker::endpoints() const {
  const std::lock_guard lock{inside_->mutex};
  std::vector<std::string> all;
  for (const auto& one : inside_->listeners) all.push_back(one->bound());
  return all;
}

void broker::set_access(std::shared_ptr<const access> may) {
  const std::lock_guard lock{inside_->mutex};
  for (const auto& one : inside_->shards) inside_->tell(*one, brokerage::access_change{may});
}

protocol::result<void> broker::renew_tls(std::string_view endpoint, tls_options options) {
  const auto at = runtime::parse_endpoint(endpoint);
  if (!at) return at.error();
  const auto context = context_of(*at, std::move(options));
  if (!context) return context.error();
  const std::lock_guard lock{inside_->mutex};
  for (const auto& one : inside_->listeners)
    if (one->bound() == endpoint && at->is_secure()) {
      one->renew(*context);
      return {};
    }
  return protocol::errc::closed;
}

void broker::stop() {
  const std::lock_guard alone{inside_->stopping};
  {
    const std::lock_guard lock{inside_->mutex};
    if (std::exchange(inside_->is_stopped, true)) return;
    for (const auto& one : inside_->listeners) one->close();
    inside_->listeners.clear();
    for (const auto& one : inside_->shards) inside_->tell(*one, brokerage::stop_order{});
  }
  inside_->ended->wait(); // whoever asks something meanwhile is answered, or hears that all is over
  if (const auto store = std::exchange(inside_->place->options.store, nullptr); store != nullptr)
    store->settle(); // and free for another broker
  {
    const std::lock_guard own{inside_->own_mutex};
    inside_->own.drop();
  }
  const std::lock_guard lock{inside_->mutex};
  inside_->shards.clear();
}

protocol::result<void> broker::publish(std::string_view topic, std::string_view payload,
                                       protocol::qos quality, bool retain) {
  return inject(
      {.topic = topic, .payload = protocol::as_octets(payload), .quality = quality, .retain = retain});
}

protocol::result<void> broker::inject(const protocol::publish& what) {
  if (const auto valid = protocol::check_topic_name(what.topic); !valid) return valid;
  using protocol::property;
  if (what.topic_alias != 0 || what.properties.has(property::topic_alias)
      || what.properties.has(property::subscription_identifier))
    return protocol::errc::protocol_error;
  const std::lock_guard lock{inside_->own_mutex};
  brokerage::publish_run run = inside_->own_packer.pack(what, 0, {});
  if (run.count == 0) return protocol::errc::packet_too_large;
  brokerage::visitor one{std::move(run)};
  switch (inside_->own.push(one)) {
  case runtime::offer::taken: return {};
  case runtime::offer::full: return protocol::errc::backpressure;
  case runtime::offer::closed: break;
  }
  return protocol::errc::closed;
}

std::vector<session_info> broker::sessions() const {
  std::vector<std::future<std::vector<session_info>>> parts;
  {
    const std::lock_guard lock{inside_->mutex};
    for (const auto& one : inside_->shards) {
      auto answer = std::make_shared<std::promise<std::vector<session_info>>>();
      parts.push_back(answer->get_future());
      inside_->tell(*one, brokerage::session_question{std::move(answer)});
    }
  }
  std::vector<session_info> all;
  for (auto& part : parts)
    for (session_info& one : answer_of(part)) all.push_back(std::move(one));
  return all;
}

bool broker::kick(std::string_view client_id, protocol::reason_code why) {
  std::vector<std::future<bool>> parts;
  {
    const std::lock_guard lock{inside_->mutex};
    for (const auto& one : inside_->shards) {
      auto answer = std::make_shared<std::promise<bool>>();
      parts.push_back(answer->get_future());
      inside_->tell(*one, brokerage::kick_order{std::string{client_id}, why, std::move(answer)});
    }
  }
  bool was_there = false;
  for (auto& part : parts) was_there |= answer_of(part);
  return was_there;
}

brokerage::bridge_desk& broker::bridges() noexcept { return *inside_->place->bridges; }

broker_statistics broker::statistics() const { return brokerage::statistics_of(*inside_->place); }

} // namespace troupe
