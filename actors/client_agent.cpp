#include "client_agent.hpp"

#include "client_core.hpp"

#include "../protocol/errc.hpp"
#include "../runtime/house.hpp"

#include <algorithm>
#include <utility>

namespace troupe {

namespace actors {

namespace {

constexpr std::size_t messages_per_portion = 256;

/// A full client answers at once; an actor does not wait.
client_options without_waiting(client_options options) {
  options.publish_wait = std::chrono::milliseconds{0};
  return options;
}

overflow policy_of(const mail::subscribe& what) noexcept {
  switch (what.when_full) {
  case 1: return overflow::drop_oldest;
  case 2: return overflow::drop_newest;
  default: return overflow::block;
  }
}

caf::error closed() { return mail::as_error(protocol::errc::closed); }

} // namespace

// -- the tray -----------------------------------------------------------------------------

void client_agent::tray::put(note what, std::uint64_t number, const outcome& how,
                             const state_change& change) {
  stack_.push(*new sheet{what, number, how, change, nullptr});
  if (!is_silent_.load(std::memory_order_acquire)) bell_.ring();
}

auto client_agent::tray::take() -> std::vector<sheet> {
  std::vector<sheet> result;
  for (sheet* top = stack_.take(); top != nullptr;) {
    const std::unique_ptr<sheet> mine{top};
    top = mine->next;
    result.push_back(std::move(*mine));
  }
  std::reverse(result.begin(), result.end());
  return result;
}

// -- life ---------------------------------------------------------------------------------

client_agent::client_agent(caf::actor_config& config, runtime::place where, stage& inside,
                           client_options options)
    : resident{config, where}, client_{std::in_place, inside, without_waiting(std::move(options))} {
  set_exit_handler([this](caf::scheduled_actor*, caf::exit_msg& why) { on_exit_wanted(why); });
  set_down_handler([this](caf::scheduled_actor*, caf::down_msg& who) { on_down(who); });
}

std::set<std::string> client_agent::message_types() const {
  return home_system().message_types(caf::detail::type_list<client_handle>{});
}

caf::behavior client_agent::make_behavior() {
  tray_ = std::make_shared<tray>(*this);
  states_ = client_->watch(
      [box = tray_](const state_change& change) { box->put(note::state, 0, outcome{}, change); });
  return {
      [this](const mail::publish& what) { return on_publish(what); },
      [this](mail::subscribe& what) { return on_subscribe(what); },
      [this](const mail::unsubscribe& what) { return on_unsubscribe(what); },
      [this](const mail::credit& what) { on_credit(what); },
      [this](mail::wait_connected) {
        return operate(note::ended, [this](auto handler) { client_->connected(std::move(handler)); });
      },
      [this](mail::connect) {
        return operate(note::ended, [this](auto handler) { client_->connect(std::move(handler)); });
      },
      [this](mail::disconnect) {
        return operate(note::ended, [this](auto handler) { client_->disconnect(std::move(handler)); });
      },
      [this](mail::watch) { on_watch(); },
  };
}

void client_agent::on_exit_wanted(const caf::exit_msg& why) {
  if (!why.reason || ending_) return;
  ending_ = why.reason;
  for (auto& [number, each] : receivers_) each.box->close();
  client_->disconnect([box = tray_](const outcome& how) { box->put(note::gone, 0, how); });
}

void client_agent::on_stop() {
  if (tray_) tray_->silence();
  for (auto& [number, each] : receivers_) each.box->close();
  for (auto& [number, promise] : promises_) promise.deliver(closed());
  promises_.clear();
  receivers_.clear();
  watchers_.clear();
  states_ = {};
  // A kill does not wait for a farewell; after an orderly end there is nobody to say it to.
  if (!ending_) client_->abort([](const outcome&) {});
  client_.reset();
  tray_.reset();
}

// -- requests -------------------------------------------------------------------------------

std::uint64_t client_agent::keep_promise() {
  promises_.emplace(next_, make_response_promise());
  return next_++;
}

void client_agent::answer(std::uint64_t number, const outcome& how) {
  const auto found = promises_.find(number);
  if (found == promises_.end()) return;
  caf::response_promise promise = std::move(found->second);
  promises_.erase(found);
  if (mail::is_answer(how))
    promise.deliver(mail::ended{how.reason(), how.by()});
  else
    promise.deliver(mail::as_error(how.error()));
}

template <class Start>
caf::result<mail::ended> client_agent::operate(note what, Start start) {
  if (ending_) return closed();
  const std::uint64_t number = keep_promise();
  start([box = tray_, what, number](const outcome& how) { box->put(what, number, how); });
  return caf::delegated<mail::ended>{};
}

caf::result<mail::ended> client_agent::on_publish(const mail::publish& what) {
  return operate(note::ended, [&](auto handler) {
    client_->publish(what.topic, what.payload, what.quality,
                     publish_options{.retain = what.retain, .properties = what.properties.view()},
                     std::move(handler));
  });
}

caf::result<mail::subscribed> client_agent::on_subscribe(mail::subscribe& what) {
  if (ending_) return closed();
  auto who = what.receiver ? what.receiver : caf::actor_cast<caf::actor>(current_sender());
  if (!who) return mail::as_error(protocol::errc::invalid_argument);
  const std::uint64_t number = next_++;
  receiver fresh;
  fresh.who = std::move(who);
  fresh.credit = what.credit;
  fresh.box = std::make_shared<postbox>(what.queue_items, policy_of(what));
  fresh.box->tell([box = tray_, number] { box->put(note::mail, number); });
  fresh.promise = keep_promise();
  // Without credit a box that blocks holds the handler, which then needs a thread of its own.
  const bool may_block = policy_of(what) == overflow::block;
  fresh.source = client_->subscribe(
      what.filter, what.maximum, [box = fresh.box](const message& m) { box->put(m); },
      subscribe_options{.run_on = may_block ? run_on::own_thread : run_on::home});
  fresh.source.granted([box = tray_, number](const outcome& how) { box->put(note::granted, number, how); });
  monitor(fresh.who);
  receivers_.emplace(number, std::move(fresh));
  return caf::delegated<mail::subscribed>{};
}

caf::result<mail::ended> client_agent::on_unsubscribe(const mail::unsubscribe& what) {
  const auto found = receivers_.find(what.subscription);
  if (found == receivers_.end() || ending_)
    return mail::ended{reason_code::no_subscription_existed, initiator::library};
  found->second.box->close();
  auto result =
      operate(note::ended, [&](auto handler) { found->second.source.unsubscribe(std::move(handler)); });
  end(found);
  return result;
}

void client_agent::on_credit(const mail::credit& what) {
  const auto found = receivers_.find(what.subscription);
  if (found == receivers_.end()) return;
  auto& credit = found->second.credit;
  credit += std::min(what.more, ~std::uint32_t{0} - credit);
  deliver(what.subscription, found->second);
}

void client_agent::on_watch() {
  auto who = caf::actor_cast<caf::actor>(current_sender());
  if (!who || ending_) return;
  const bool is_known = std::find(watchers_.begin(), watchers_.end(), who) != watchers_.end();
  if (!is_known) {
    monitor(who);
    watchers_.push_back(who);
  }
  send(who, mail::state_changed{state_.state, state_.why ? state_.why.message() : std::string{}});
}

// -- what other threads say -------------------------------------------------------------------

bool client_agent::on_bell() {
  if (!tray_) return false;
  for (const tray::sheet& each : tray_->take()) on_note(each);
  return false;
}

void client_agent::on_note(const tray::sheet& sheet) {
  switch (sheet.what) {
  case note::ended: return answer(sheet.number, sheet.how);
  case note::granted: return on_granted(sheet.number, sheet.how);
  case note::mail:
    if (const auto found = receivers_.find(sheet.number); found != receivers_.end())
      deliver(sheet.number, found->second);
    return;
  case note::state: return on_state(sheet.change);
  case note::gone: return quit(ending_.value_or(caf::exit_reason::user_shutdown));
  }
}

void client_agent::on_granted(std::uint64_t number, const outcome& how) {
  const auto found = receivers_.find(number);
  if (found == receivers_.end()) return;
  const auto asked = promises_.extract(std::exchange(found->second.promise, 0));
  if (asked) {
    if (mail::is_answer(how))
      asked.mapped().deliver(mail::subscribed{number, how.reason()});
    else
      asked.mapped().deliver(mail::as_error(how.error()));
  }
  if (!how.ok()) return end(found);
  found->second.is_granted = true;
  deliver(number, found->second);
}

void client_agent::on_state(const state_change& change) {
  state_ = change;
  for (const caf::actor& each : watchers_)
    send(each, mail::state_changed{change.state, change.why ? change.why.message() : std::string{}});
}

void client_agent::deliver(std::uint64_t number, receiver& to) {
  while (to.is_granted && to.credit != 0) {
    mail::messages portion{number, {}};
    const auto most = std::min<std::size_t>(to.credit, messages_per_portion);
    const auto count = to.box->take(portion.list, most);
    if (count == 0) return;
    to.credit -= static_cast<std::uint32_t>(count);
    send(to.who, std::move(portion));
  }
}

// -- ends -------------------------------------------------------------------------------------

void client_agent::end(receivers::iterator which) {
  which->second.box->close();
  if (which->second.promise != 0) answer(which->second.promise, outcome{protocol::errc::cancelled});
  const caf::actor who = which->second.who;
  receivers_.erase(which);
  demonitor(who);
}

void client_agent::on_down(const caf::down_msg& gone) {
  std::erase_if(watchers_, [&](const caf::actor& each) { return each.address() == gone.source; });
  for (auto at = receivers_.begin(); at != receivers_.end();) {
    const auto here = at++;
    if (here->second.who.address() == gone.source) end(here);
  }
}

} // namespace actors

client_handle spawn_client(stage& where, client_options options) {
  auto& house = where.inside();
  const auto agent = house.spawn<actors::client_agent>(house.next_home(), where, std::move(options));
  return caf::actor_cast<client_handle>(agent.handle());
}

} // namespace troupe
