#include "supervisor.hpp"

#include "finality.hpp"

#include "../protocol/errc.hpp"
#include "../runtime/house.hpp"
#include "../runtime/tls_context.hpp"

#include <algorithm>
#include <utility>

namespace troupe::actors {

using protocol::errc;
using protocol::reason_code;

supervisor::supervisor(caf::actor_config& config, runtime::place where, std::shared_ptr<client_front> front,
                       supervisor_options options)
    : resident{config, where},
      front_{std::move(front)},
      options_{std::move(options)},
      box_{*this},
      outlet_{box_},
      ends_{front_->bounds, front_->handler_failures},
      brokers_{options_.brokers, options_.redirects_limit},
      backoff_{options_.backoff, options_.seed},
      is_equipped_{options_.dial.tls != nullptr} {}

bool supervisor::on_bell() {
  if (where().is_here()) return work();
  where().post([self = runtime::resident_ref{this}] {
    while (self->work()) {}
  });
  return false;
}

void supervisor::on_stop() {
  if (where().is_here()) return shut();
  where().post([self = runtime::resident_ref{this}] { self->shut(); });
}

bool supervisor::work() {
  if (is_shut_) return false;
  const bool has_more = outlet_.drain([this](supervisor_mail&& mail) {
    std::visit([this](auto&& each) { on_mail_of(std::move(each)); }, std::move(mail));
  });
  ends_.flush();
  return has_more;
}

void supervisor::shut() noexcept {
  if (std::exchange(is_shut_, true)) return;
  outlet_.close([this](supervisor_mail&& mail) {
    if (const asker* const who = asker_of(mail); who != nullptr) waiting_.push_back(*who);
  });
  show(client_state::disconnected, errc::closed);
  waiting_.insert(waiting_.end(), ending_.begin(), ending_.end());
  tell_end(outcome{errc::closed});
  ending_.clear();
  answer_all(outcome{errc::closed});
  ends_.flush();
  retry_.disarm();
  dialer_.reset();
  if (connection_) connection_->stop_soon();
  connection_ = {};
  to_session_.drop();
  session_ = {};
  front_->actor_ended();
}

const asker* supervisor::asker_of(const supervisor_mail& mail) noexcept {
  if (const auto* each = std::get_if<user_connect>(&mail)) return &each->who;
  if (const auto* each = std::get_if<user_connected>(&mail)) return &each->who;
  if (const auto* each = std::get_if<user_ended>(&mail)) return &each->who;
  if (const auto* each = std::get_if<user_disconnect>(&mail)) return &each->who;
  return nullptr;
}

// -- the user -----------------------------------------------------------------------------

void supervisor::on_mail_of(begin&& mail) {
  session_ = std::move(mail.whose);
  to_session_ = runtime::inlet<session_mail>{session_->mails()};
  dialer_.emplace(where(), options_.dial);
  if (options_.bad_settings) return fault(options_.bad_settings);
  if (is_ending_) return;
  if (options_.dial_at_once) return dial();
  phase_ = phase::disconnected;
  show(client_state::disconnected);
  answer_all(outcome{errc::closed, initiator::user});
}

void supervisor::on_mail_of(user_connect&& mail) {
  waiting_.push_back(mail.who);
  if (phase_ == phase::up) return answer_if_up();
  if (phase_ != phase::disconnected && phase_ != phase::faulted) return;
  if (options_.bad_settings) return fault(options_.bad_settings);
  session_mail again = accept_again{};
  static_cast<void>(to_session_.push(again));
  failures_ = 0;
  backoff_.reset();
  brokers_.begin_again();
  dial();
}

void supervisor::on_mail_of(user_connected&& mail) {
  waiting_.push_back(mail.who);
  switch (phase_) {
  case phase::up: return answer_if_up();
  case phase::faulted: return answer_all(outcome{fault_});
  case phase::disconnected: return answer_all(outcome{errc::closed, initiator::user});
  default: return;
  }
}

void supervisor::on_mail_of(user_ended&& mail) {
  mourning_.push_back(mail.who);
  if (phase_ == phase::faulted) return tell_end(outcome{fault_});
  if (phase_ == phase::disconnected) tell_end(outcome{reason_code::success, initiator::user});
}

void supervisor::answer_if_up() {
  if (front_->state.load(std::memory_order_relaxed) == client_state::connected)
    answer_all(outcome{reason_code::success, initiator::peer});
}

void supervisor::on_mail_of(user_disconnect&& mail) {
  ending_.push_back(mail.who);
  is_ending_ = true;
  retry_.disarm();
  if (dialer_) dialer_->cancel();
  log(log_level::debug, client_event::ending, [](event_line&) {});
  if (phase_ == phase::up) return show(client_state::disconnecting);
  refuse(errc::closed); // also when nothing is left to end: the session waits for it
  rest();
}

void supervisor::on_mail_of(user_withdrawn&& mail) {
  for (auto* const each : {&waiting_, &ending_, &mourning_})
    std::erase_if(*each, [&](const asker& who) { return ends_.withdraw(who, mail.where); });
}

// -- connections ----------------------------------------------------------------------------

void supervisor::dial() {
  if (front_->wants_end.load(std::memory_order_acquire)) return; // user_disconnect is on its way
  phase_ = phase::dialling;
  dialled_at_ = where().time().now();
  front_->attempts.add(1);
  show(client_state::connecting);
  log(log_level::debug, client_event::dialling, [this](event_line& line) {
    line.say("broker", broker_name()).say("attempt", front_->attempts.value());
  });
  const runtime::endpoint& broker = brokers_.here();
  if (const auto error = equip(broker)) return try_again(error);
  dialer_->dial(broker, [this](protocol::result<runtime::transport_ptr> answer) {
    on_dialled(std::move(answer));
    ends_.flush();
  });
}

/// A client all of whose own brokers are dialled without TLS has not read what TLS needs.
std::error_code supervisor::equip(const runtime::endpoint& broker) {
  if (is_equipped_ || !broker.is_secure()) return {};
  auto context = runtime::tls_context::make(runtime::tls_role::client, options_.tls);
  if (!context) return context.error();
  runtime::dial_options dial = options_.dial;
  dial.tls = std::move(*context);
  dialer_.emplace(where(), std::move(dial));
  is_equipped_ = true;
  return {};
}

void supervisor::on_dialled(protocol::result<runtime::transport_ptr> answer) {
  if (!answer) {
    const bool is_late = answer.error() == std::errc::timed_out;
    return try_again(is_late ? make_error_code(errc::connect_timeout) : answer.error());
  }
  phase_ = phase::up;
  up_since_ = runtime::time_point::max();
  show(client_state::handshaking);
  log(log_level::debug, client_event::handshaking,
      [this](event_line& line) { line.say("broker", broker_name()); });
  connection_options options = options_.connection;
  if (front_->hooks && front_->hooks->sees_octets()) options.hooks = front_->hooks;
  options.number = ++connections_;
  connection_ = inside().spawn<connection>(where(), options, std::move(*answer),
                                           runtime::inlet<session_mail>{session_->mails()});
}

void supervisor::on_mail_of(session_up&& up) {
  if (phase_ != phase::up || is_ending_) return;
  failures_ = 0;
  up_since_ = where().time().now();
  front_->connecting.note(up_since_ - dialled_at_);
  log(log_level::info, client_event::connected, [&](event_line& line) {
    const auto took = std::chrono::duration_cast<std::chrono::microseconds>(up_since_ - dialled_at_);
    line.say("broker", broker_name()).say("resumed", up.is_resumed).say("took_us", took.count());
  });
  show(client_state::connected);
  answer_all(outcome{reason_code::success, initiator::peer});
}

void supervisor::on_mail_of(session_down&& mail) {
  connection_ = {};
  if (is_ending_) return rest();
  const bool was_up = up_since_ != runtime::time_point::max();
  if (was_up && where().time().now() - up_since_ >= options_.stable_after) {
    backoff_.reset();
    brokers_.settle();
  }
  if (sends_elsewhere(mail) && !(was_up && !options_.reconnect)) return on_redirect(mail);
  if (is_final(mail)) return fault(mail.error);
  try_again(mail.error);
}

void supervisor::on_redirect(const session_down& mail) {
  std::string from;
  if (where().log().is_on()) from = broker_name();
  const redirect_advice advice = brokers_.follow(mail.reason, mail.reference);
  const std::error_code why = advice.why ? advice.why : mail.error;
  if (advice.what == redirect_advice::kind::give_up) return fault(why);
  if (advice.what == redirect_advice::kind::wait) return try_again(why);
  front_->redirects.add(1);
  log(log_level::info, client_event::redirected, [&](event_line& line) {
    line.say("broker", from).say("to", broker_name()).say("why", why.message()).say("hops", brokers_.hops());
  });
  phase_ = phase::waiting; // as long as nothing is dialled, should the user want the end
  show(client_state::connecting, why);
  dial();
}

void supervisor::try_again(std::error_code why) {
  front_->failed_attempts.add(1);
  ++failures_;
  if (!options_.reconnect || (options_.attempts_limit != 0 && failures_ >= options_.attempts_limit))
    return fault(why);
  runtime::duration wait = backoff_.next();
  if (!ask_hooks(why, wait)) return fault(why);
  log(log_level::warning, client_event::waiting, [&](event_line& line) {
    const auto rest = std::chrono::duration_cast<std::chrono::milliseconds>(wait);
    line.say("broker", broker_name()).say("why", why.message()).say("failures", failures_);
    line.say("wait_ms", rest.count());
  });
  brokers_.go_on();
  phase_ = phase::waiting;
  show(client_state::waiting, why);
  where().time().arm_in(retry_, wait);
}

/// False: the user gives up.
bool supervisor::ask_hooks(std::error_code why, runtime::duration& wait) noexcept {
  if (!front_->hooks) return true;
  try {
    const auto proposed = std::chrono::duration_cast<std::chrono::milliseconds>(wait);
    const retry_answer answer = front_->hooks->on_retry({failures_, why, proposed});
    if (answer.wait != proposed) wait = std::max(answer.wait, std::chrono::milliseconds{0});
    return !answer.gives_up;
  } catch (...) {
    front_->handler_failures.add(1);
    return true;
  }
}

/// The user's end has been reached.
void supervisor::rest() {
  is_ending_ = false;
  phase_ = phase::disconnected;
  show(client_state::disconnected);
  log(log_level::info, client_event::ended, [](event_line&) {});
  for (const asker& who : std::exchange(ending_, {}))
    ends_.answer(who, outcome{reason_code::success, initiator::user});
  answer_all(outcome{errc::closed, initiator::user});
  tell_end(outcome{reason_code::success, initiator::user});
}

void supervisor::fault(std::error_code why) {
  phase_ = phase::faulted;
  fault_ = why ? why : make_error_code(errc::faulted);
  show(client_state::faulted, fault_);
  log(log_level::error, client_event::faulted,
      [this](event_line& line) { line.say("why", fault_.message()); });
  refuse(fault_);
  answer_all(outcome{fault_});
  tell_end(outcome{fault_});
}

void supervisor::refuse(std::error_code why) {
  session_mail mail = refuse_all{why};
  static_cast<void>(to_session_.push(mail));
}

void supervisor::answer_all(const outcome& how) {
  for (const asker& who : std::exchange(waiting_, {})) ends_.answer(who, how);
}

void supervisor::tell_end(const outcome& how) {
  for (const asker& who : std::exchange(mourning_, {})) ends_.answer(who, how);
}

template <class Fill>
void supervisor::log(log_level level, client_event what, Fill fill) const {
  say(where().log(), level, what, options_.client_id, fill);
}

/// Without its user and his password.
std::string supervisor::broker_name() const { return runtime::to_string(brokers_.here()); }

void supervisor::show(client_state state, std::error_code why) noexcept {
  if (why) front_->set_last_error(why);
  const bool is_new = front_->state.exchange(state, std::memory_order_acq_rel) != state;
  if (is_new) front_->transitions.add(1);
  if (!is_new && !why) return;
  front_->board.show({state, why});
}

} // namespace troupe::actors
