#include "subscription.hpp"

#include "client_core.hpp"

#include "../protocol/errc.hpp"

#include <utility>

namespace troupe {

namespace actors {

namespace {

void ask_about(control what, const link_ref& link, const asker& who) {
  const auto core = link->core.lock();
  if (!core) {
    // The client is gone, and everything with it.
    if (who.what() == asker::kind::handler)
      static_cast<void>(who.handler()->run(outcome{protocol::errc::closed}));
    return;
  }
  auto request = std::make_unique<control_request>(what, who);
  request->link = link;
  core->ask(std::move(request));
}

pending<outcome> ask_about(control what, const link_ref& link) {
  const auto core = link->core.lock();
  if (!core) return {};
  const cell where = core->take_cell();
  ask_about(what, link, asker{where});
  return pending<outcome>{where};
}

} // namespace

std::weak_ptr<client_core> core_of(const link_ref& link) noexcept {
  return link ? link->core : std::weak_ptr<client_core>{};
}

void start_granted(const link_ref& link, waiter* who) { ask_about(control::granted, link, asker{who}); }
pending<outcome> start_granted(const link_ref& link) { return ask_about(control::granted, link); }
void start_unsubscribe(const link_ref& link, waiter* who) { ask_about(control::end_link, link, asker{who}); }
pending<outcome> start_unsubscribe(const link_ref& link) { return ask_about(control::end_link, link); }

} // namespace actors

subscription::subscription(std::shared_ptr<actors::subscription_link> link) noexcept
    : link_{std::move(link)} {}
subscription::subscription(subscription&&) noexcept = default;

subscription& subscription::operator=(subscription&& other) noexcept {
  if (this != &other) {
    end();
    link_ = std::move(other.link_);
  }
  return *this;
}

subscription::~subscription() { end(); }

void subscription::end() noexcept {
  if (!link_) return;
  link_->gate.close();
  actors::ask_about(actors::control::end_link, link_, actors::asker{});
  link_.reset();
}

void subscription::detach() noexcept { link_.reset(); }

subscription_statistics subscription::statistics() const noexcept {
  if (!link_) return {};
  return {link_->delivered.value(), link_->dropped.value(), link_->failures.value()};
}

} // namespace troupe
