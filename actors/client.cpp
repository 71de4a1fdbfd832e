#include "client.hpp"

#include "client_core.hpp"
#include "client_setup.hpp"

#include "../protocol/errc.hpp"
#include "../protocol/topic.hpp"

#include <utility>

namespace troupe {

namespace actors {

namespace {

control as_control(client_operation what) noexcept {
  switch (what) {
  case client_operation::connect: return control::connect;
  case client_operation::connected: return control::connected;
  case client_operation::ended: return control::ended;
  case client_operation::disconnect: return control::disconnect;
  case client_operation::abort: return control::abort;
  case client_operation::reauthenticate: return control::reauthenticate;
  }
  return control::connected;
}

void ask(client_core& core, client_operation what, const disconnect_options& how, const asker& who) {
  // Intent comes before any octet that follows from it.
  const bool is_end = what == client_operation::disconnect || what == client_operation::abort;
  if (is_end || what == client_operation::connect) core.set_intent(is_end);
  auto request = std::make_unique<control_request>(as_control(what), who);
  request->end_options = how;
  core.ask(std::move(request));
}

void ask_to_end(client_core& core, std::string_view filter, const asker& who) {
  auto request = std::make_unique<control_request>(control::end_filter, who);
  request->filter = filter;
  core.ask(std::move(request));
}

} // namespace

std::weak_ptr<client_core> weakly(client_core& core) noexcept { return core.weak_from_this(); }

pending<outcome> publish(client_core& core, const publish_request& request) { return core.publish(request); }

publish_place begin_publish(client_core& core, const publish_request& request, std::size_t waiter_size) {
  return core.begin_publish(request, waiter_size);
}

void finish_publish(client_core& core, publish_place place, waiter* who) { core.finish_publish(place, who); }

void refuse(client_core& core, std::error_code why, waiter* who) { core.answer(asker{who}, outcome{why}); }

pending<outcome> publish_many(client_core& core, std::span<const publication> messages) {
  const cell where = core.take_cell();
  core.publish_many(messages, asker{where});
  return pending<outcome>{where};
}

void publish_many(client_core& core, std::span<const publication> messages, waiter* who) {
  core.publish_many(messages, asker{who});
}

pending<outcome> start(client_core& core, client_operation what, const disconnect_options& how) {
  const cell where = core.take_cell();
  ask(core, what, how, asker{where});
  return pending<outcome>{where};
}

void start(client_core& core, client_operation what, const disconnect_options& how, waiter* who) {
  ask(core, what, how, asker{who});
}

pending<outcome> unsubscribe(client_core& core, std::string_view filter) {
  const cell where = core.take_cell();
  ask_to_end(core, filter, asker{where});
  return pending<outcome>{where};
}

void unsubscribe(client_core& core, std::string_view filter, waiter* who) {
  ask_to_end(core, filter, asker{who});
}

} // namespace actors

// Not make_shared: those who name it for long would keep its memory.
client::client(stage& where, client_options options)
    : core_{new actors::client_core{where, std::move(options)}} {}

client::client(std::shared_ptr<actors::client_core> core) noexcept : core_{std::move(core)} {}

protocol::result<client> client::make(stage& where, client_options options) {
  if (const std::error_code wrong = actors::check_options(options)) return wrong;
  client made{where, std::move(options)};
  if (const std::error_code fault = made.core_->store_fault()) return fault;
  return made;
}

client::client(client&&) noexcept = default;

client& client::operator=(client&& other) noexcept {
  if (this != &other) {
    if (core_) core_->end();
    core_ = std::move(other.core_);
  }
  return *this;
}

client::~client() {
  if (core_) core_->end();
}

subscription client::subscribe(std::string_view filter, qos maximum, message_handler handler,
                               subscribe_options options) {
  auto link = std::make_shared<actors::subscription_link>(std::string{filter}, maximum, std::move(handler),
                                                          std::move(options), core_);
  auto request = std::make_unique<actors::control_request>(actors::control::subscribe, actors::asker{});
  request->link = link;
  core_->ask(std::move(request));
  return subscription{std::move(link)};
}

client_state client::state() const noexcept { return core_->front().state.load(std::memory_order_acquire); }

broker_capabilities client::capabilities() const { return core_->front().capabilities(); }

state_watch client::watch(state_handler handler) {
  return state_watch{core_->shared_front()->board.add(std::move(handler))};
}

std::error_code client::last_error() const { return core_->front().last_error(); }

client_statistics client::statistics() const noexcept {
  const actors::client_front& front = core_->front();
  return {.connections = front.connections.value(),
          .resumed = front.resumed.value(),
          .failed_attempts = front.failed_attempts.value(),
          .published = front.published.value(),
          .publish_failures = front.publish_failures.value(),
          .received = front.received.value(),
          .unrouted = front.unrouted.value(),
          .dropped = front.dropped.value(),
          .handler_failures = front.handler_failures.value(),
          .attempts = front.attempts.value(),
          .transitions = front.transitions.value(),
          .batches = front.batches.value(),
          .redirects = front.redirects.value()};
}

client_depths client::depths() const noexcept { return core_->depths(); }

client_times client::times() const noexcept {
  const actors::client_front& front = core_->front();
  return {front.connecting.snapshot(), front.publishing.snapshot()};
}

} // namespace troupe
