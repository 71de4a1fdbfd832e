#include "session.hpp"

#include "../protocol/errc.hpp"
#include "../runtime/house.hpp"

#include <cstring>
#include <utility>

namespace troupe::actors {

namespace {

constexpr std::size_t mails_per_run = 64;
/// Heard before a mail while there is no session with the broker: at most, and at once.
constexpr std::size_t first_requests = 1024;
constexpr std::size_t requests_at_once = 64;
/// Far above what batches in flight can be; the doors have bounds of their own.
constexpr runtime::mailbox_limits mail_limits{.items = 64 * 1024, .octets = ~std::size_t{0} >> 26U};
constexpr runtime::mailbox_limits request_limits{.items = std::size_t{4} << 20U,
                                                 .octets = ~std::size_t{0} >> 26U};

outcome outcome_of(const protocol::verdict& how) noexcept {
  return how.error ? outcome{how.error, how.by} : outcome{how.reason, how.by};
}

} // namespace

session::session(caf::actor_config& config, runtime::place where, std::shared_ptr<client_front> front,
                 protocol::client_machine_options options, std::chrono::milliseconds disconnect_timeout,
                 runtime::inlet<supervisor_mail> supervisor, runtime::inlet<dispatch_mail> dispatcher,
                 std::unique_ptr<session_store> store)
    : resident{config, where},
      front_{std::move(front)},
      mail_box_{*this, mail_limits},
      request_box_{*this, request_limits},
      mails_{mail_box_},
      requests_{request_box_},
      slabs_{where.inside.fixture<runtime::slab_rack>()},
      outbox_{*slabs_},
      ends_{front_->bounds, front_->handler_failures},
      store_{std::move(store)},
      machine_{options, *this},
      first_words_{std::move(options)},
      supervisor_{std::move(supervisor)},
      dispatcher_{std::move(dispatcher)},
      desk_{machine_, ends_, dispatcher_},
      disconnect_timeout_{disconnect_timeout} {}

session::~session() = default;

void session::introduce() {
  is_introduced_ = true;
  if (store_) {
    store_->attach(*this);
    go_on_from(store_->take_past());
  }
  // By the inlets that everything else of ours takes, so that it comes first.
  dispatch_mail to_dispatcher = know_session{runtime::bell_ref{*this}};
  static_cast<void>(dispatcher_.push(to_dispatcher));
  supervisor_mail to_supervisor = begin{runtime::resident_ref<session>{this}};
  static_cast<void>(supervisor_.push(to_supervisor));
}

bool session::on_bell() {
  now_ = time().now();
  if (!is_introduced_) introduce();
  front_->settled.take([this](const settled_delivery& each) { settle(each); });
  // Until the broker has greeted us, what was asked for before it did is heard first: it may go on at once with
  // the messages that it kept, and whoever has subscribed is to get them.
  const auto hear_first = [this] {
    const auto hear = [this](request_item&& item) { on_request(*item.what); };
    std::size_t left = first_requests;
    while (left != 0 && may_produce() && requests_.take(requests_at_once, hear) == requests_at_once)
      left -= requests_at_once;
  };
  bool has_more = mails_.drain(mails_per_run, [&](session_mail&& mail) {
    if (!machine_.is_connected()) hear_first();
    on_mail(std::move(mail));
  });
  if (ends_.has_calls()) answer(); // what they ask for leaves in this run
  has_more |= take_requests();
  finish_run();
  return has_more;
}

void session::on_stop() {
  now_ = time().now();
  refusing_ = protocol::errc::closed;
  ending_.reset();
  mails_.close();
  requests_.close([this](request_item&& item) { on_request(*item.what); });
  // Each wish for an end among them holds back what was asked for behind it.
  while (ending_ || !held_.empty()) {
    ending_.reset();
    replay_held();
  }
  withdrawn_.clear(); // they are answered with all others
  machine_.transport_down(now_);
  machine_.abandon(protocol::errc::closed);
  desk_.refuse(protocol::errc::closed);
  machine_deadline_.disarm();
  end_deadline_.disarm();
  outbox_.clear();
  link_.reset();
  unwritten_.clear();
  if (store_) store_->hand_over();
  store_.reset(); // writes what it has, so that another client may open it at once
  count();
  ends_.flush();
  supervisor_.drop();
  dispatcher_.drop();
  front_->actor_ended();
}

// -- mails --------------------------------------------------------------------------------

void session::on_mail(session_mail&& mail) {
  std::visit([this](auto&& each) { on_mail_of(std::move(each)); }, std::move(mail));
}

void session::on_mail_of(batch_ref&& batch) {
  if (!link_ || batch->connection != link_->connection || is_broken_off_) return;
  batch_ = &*batch;
  bool goes_on = true;
  const auto count = static_cast<std::uint32_t>(batch->packets.size());
  batch->deliveries.reserve(count);
  for (packet_ = 0; packet_ != count && goes_on; ++packet_) {
    const protocol::inbound_packet& packet = batch->packets[packet_];
    if (machine_.is_plain_delivery(packet))
      batch->deliveries.push_back(packet_);
    else
      goes_on = machine_.on_packet(packet, now_);
  }
  machine_.on_received(now_);
  front_->batches.add(1);
  if (goes_on && batch->bad_bytes) machine_.on_bad_bytes(batch->bad_bytes, now_);
  batch_ = nullptr;
  dispatch(std::move(batch));
}

void session::dispatch(batch_ref&& batch) {
  if (batch->deliveries.empty()) return;
  received_ += batch->deliveries.size();
  dispatch_mail mail = std::move(batch);
  static_cast<void>(dispatcher_.push(mail));
}

void session::on_mail_of(link_up&& up) {
  link_ = std::move(up);
  why_down_ = {};
  then_ = after_batch::go_on;
  if (!ending_ && !refusing_) {
    present_anew();
    return machine_.transport_up(now_);
  }
  why_down_ = {.error = protocol::errc::closed, .by = protocol::initiator::user};
  then_ = after_batch::abort;
}

void session::on_mail_of(link_down&& down) {
  if (!link_ || down.connection != link_->connection) return;
  machine_.transport_down(now_);
  flush_frames();
  outbox_.clear();
  link_.reset();
  unwritten_.clear();
  then_ = after_batch::go_on;
  is_renewing_ = false;
  if (!why_down_.error && why_down_.by != protocol::initiator::user)
    why_down_.error = down.error ? down.error : make_error_code(protocol::errc::connection_lost);
  end_reauthentications(protocol::errc::connection_lost);
  ask_down_hook();
  supervisor_mail mail = why_down_;
  static_cast<void>(supervisor_.push(mail));
  if (!ending_) return;
  machine_.abandon(protocol::errc::closed);
  desk_.refuse(protocol::errc::closed);
  refusing_ = protocol::errc::closed;
  end_ending();
}

void session::on_mail_of(refuse_all&& why) {
  refusing_ = why.error;
  machine_.abandon(why.error);
  desk_.refuse(why.error);
  end_ending();
}

void session::on_mail_of(accept_again&&) {
  refusing_ = {};
  if (store_) store_->drop_left();
}

// -- the end of a run -----------------------------------------------------------------------

void session::finish_run() {
  if (!withdrawn_.empty()) withdraw();
  if (std::exchange(is_auth_refused_, false))
    machine_.disconnect(protocol::reason_code::not_authorized, {}, now_);
  if (birth_refusal_) {
    machine_.disconnect(protocol::reason_code::unspecified_error, {}, now_);
    why_down_.error = std::exchange(birth_refusal_, {});
  }
  go_on_ending();
  report_up_when_renewed();
  hand_over();
  arm_deadline();
  answer();
  while (desk_.has_untold() && !desk_.tell_rest() && dispatcher_.when_room(*this)) {}
}

void session::answer() {
  flush_frames(); // they lie in slabs that are given back now
  count();
  ends_.flush();
}

void session::report_up_when_renewed() {
  if (!is_renewing_ || desk_.is_renewing() || !machine_.is_connected()) return;
  is_renewing_ = false;
  front_->connections.add(1);
  if (is_resumed_) front_->resumed.add(1);
  supervisor_mail mail = session_up{is_resumed_};
  static_cast<void>(supervisor_.push(mail));
}

void session::hand_over() {
  flush_frames();
  const std::uint64_t ticket = store_ ? store_->hand_over() : 0;
  if (!link_) return outbox_.clear();
  if (!unwritten_.empty()) write_on();
  if (outbox_.empty() && then_ == after_batch::go_on) return;
  machine_.on_sent(now_);
  if (then_ == after_batch::abort && ticket != 0) { // nothing has to be said, and a disk may never answer
    unwritten_.clear();
    outbox_.clear();
  }
  outbound_ref batch = outbound_.take(outbox_);
  batch->then = std::exchange(then_, after_batch::go_on);
  if (batch->then != after_batch::abort && (ticket != 0 || !unwritten_.empty())) {
    unwritten_.push_back({ticket, std::move(batch)});
    if (ending_ && is_farewell_unwritten()) time().arm(end_deadline_, now_ + disconnect_timeout_ / 2);
    return;
  }
  static_cast<void>(link_->way.push(batch)); // closed: link_down is on its way
}

/// What was written before has been kept, or some of it.
void session::write_on() {
  for (; !unwritten_.empty() && store_->is_kept(unwritten_.front().ticket); unwritten_.pop_front())
    static_cast<void>(link_->way.push(unwritten_.front().batch));
}

void session::arm_deadline() {
  const protocol::time_point due = machine_.next_deadline();
  if (due == protocol::never)
    machine_deadline_.disarm();
  else
    time().arm(machine_deadline_, due);
}

void session::on_machine_deadline() {
  now_ = time().now();
  // While handlers lag behind, nothing is read: silence is ours then, not the peer's.
  if (link_ && link_->gauge->paused.load(std::memory_order_acquire)) machine_.on_received(now_);
  machine_.on_deadline(now_);
  finish_run();
}

void session::count() {
  front_->published.add(std::exchange(published_, 0));
  front_->publish_failures.add(std::exchange(failed_, 0));
  front_->received.add(std::exchange(received_, 0));
  front_->in_flight.store(machine_.inflight(), std::memory_order_relaxed);
  front_->queued.store(machine_.parked(), std::memory_order_relaxed);
}

// -- client_host ------------------------------------------------------------------------------

void session::on_connected(const protocol::connack& packet) {
  is_renewing_ = true;
  is_resumed_ = packet.session_present;
  front_->set_capabilities(machine_.limits());
  if (store_) store_->keep_session(packet.session_present, machine_.limits().assigned_client_identifier);
  desk_.renew(packet.session_present, now_);
  say_birth(packet);
}

bool session::on_deliver(const protocol::publish& packet, protocol::delivery_tag tag) {
  protocol::publish& here = std::get_if<protocol::inbound_publish>(&batch_->packets[packet_])->packet;
  if (packet.topic.data() != here.topic.data()) {
    // An alias stood for it; the alias may say another topic before handlers run.
    batch_->topics.emplace_front(packet.topic);
    here.topic = batch_->topics.front();
  }
  batch_->deliveries.push_back(packet_);
  if (packet.quality == protocol::qos::at_most_once || !desk_.defers()) {
    if (store_ && packet.quality == protocol::qos::exactly_once) store_->keep_receipt(packet.id);
    return true;
  }
  batch_->deferred.push_back({packet_, tag});
  return false;
}

void session::on_complete(protocol::request_token token, const protocol::verdict& how) {
  auto& what = *reinterpret_cast<user_request*>(token);
  if (what.what == user_request::kind::publish)
    end_publish(publish_record::from(what), outcome_of(how));
  else
    desk_.on_complete(what, how);
}

protocol::kept_publish session::recall(protocol::request_token token) {
  publish_record& record = publish_record::from(token);
  protocol::kept_publish kept = record.view();
  if (!ages_.empty() && has_expired(record)) kept.withdrawn = std::make_error_code(std::errc::timed_out);
  return kept;
}

void session::on_close(const protocol::closing& why) {
  why_down_ = {why.error, why.reason, why.by, {}};
  if (why.by == protocol::initiator::peer)
    why_down_.reference = why.properties.text(protocol::property::server_reference).value_or("");
  tell_farewell(why);
  // Nothing can be said to a peer that does not listen.
  const bool is_deaf =
      why.error == protocol::errc::ping_timeout || why.error == protocol::errc::connack_timeout;
  then_ = is_deaf ? after_batch::abort : after_batch::close;
}

} // namespace troupe::actors
