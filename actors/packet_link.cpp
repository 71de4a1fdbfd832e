#include "packet_link.hpp"

#include "../protocol/errc.hpp"
#include "../runtime/house.hpp"

#include <cstring>
#include <utility>

namespace troupe::actors {

namespace {

using protocol::errc;

constexpr runtime::mailbox_limits mail_limits{.items = 64 * 1024, .octets = ~std::size_t{0} >> 26U};
constexpr runtime::mailbox_limits wish_limits{.items = 64 * 1024, .octets = packet_client::most_waiting};
constexpr std::size_t most_handed_over = std::size_t{512} << 10U;

} // namespace

packet_link::packet_link(caf::actor_config& config, runtime::place where, supervisor_options options,
                         packet_events events)
    : resident{config, where},
      options_{std::move(options)},
      events_{std::move(events)},
      mail_box_{*this, mail_limits},
      wish_box_{*this, wish_limits},
      mails_{mail_box_},
      wishes_{wish_box_},
      slabs_{where.inside.fixture<runtime::slab_rack>()},
      outbox_{*slabs_} {}

bool packet_link::on_bell() {
  if (where().is_here()) return work();
  where().post([self = runtime::resident_ref{this}] {
    while (self->work()) {}
  });
  return false;
}

void packet_link::on_stop() {
  if (where().is_here()) return shut(errc::closed);
  where().post([self = runtime::resident_ref{this}] { self->shut(errc::closed); });
}

bool packet_link::work() {
  if (is_over_) return false;
  if (!std::exchange(is_begun_, true)) dial();
  bool has_more = mails_.drain([this](session_mail&& mail) {
    std::visit([this](auto&& each) { on_mail_of(std::move(each)); }, std::move(mail));
  });
  if (end_) shut(*end_); // not while a mailbox is being drained
  if (is_over_) return false;
  if (may_send()) has_more |= wishes_.drain([this](packet_wish&& wish) { carry_out(std::move(wish)); });
  if (!outbox_.empty()) hand_over(after_batch::go_on);
  return has_more;
}

void packet_link::dial() {
  if (options_.bad_settings) return shut(options_.bad_settings);
  dialer_.emplace(where(), options_.dial);
  dialer_->dial(options_.brokers.front(),
                [this](protocol::result<runtime::transport_ptr> answer) { on_dialled(std::move(answer)); });
}

void packet_link::on_dialled(protocol::result<runtime::transport_ptr> answer) {
  if (!answer) {
    const bool is_late = answer.error() == std::errc::timed_out;
    return shut(is_late ? make_error_code(errc::connect_timeout) : answer.error());
  }
  connection_options options = options_.connection;
  options.number = 1;
  connection_ = inside().spawn<connection>(where(), options, std::move(*answer),
                                           runtime::inlet<session_mail>{mail_box_});
}

void packet_link::on_mail_of(link_up&& up) {
  link_ = std::move(up);
  tell([](packet_events& events) {
    if (events.on_open) events.on_open();
  });
}

void packet_link::on_mail_of(batch_ref&& batch) {
  if (end_) return;
  for (const protocol::inbound_packet& packet : batch->packets)
    tell([&packet](packet_events& events) {
      if (events.on_packet) events.on_packet(packet);
    });
  if (batch->bad_bytes && !end_) end_ = batch->bad_bytes;
}

void packet_link::on_mail_of(link_down&& down) {
  if (!end_) end_ = down.error;
}

/// Whether wishes may be taken now; else the bell rings when they may.
bool packet_link::may_send() noexcept {
  if (!link_) return false;
  const auto is_free = [this] {
    return !link_->gauge->congested.load(std::memory_order_seq_cst)
           && outbound_.octets_out() < most_handed_over;
  };
  if (is_free()) return true;
  link_->gauge->stalled.store(true, std::memory_order_seq_cst);
  return is_free();
}

void packet_link::carry_out(packet_wish&& wish) {
  if (!wish.bytes.empty()) {
    protocol::octet* const to = outbox_.reserve(wish.bytes.size());
    std::memcpy(to, wish.bytes.data(), wish.bytes.size());
    outbox_.commit(to + wish.bytes.size());
  }
  if (wish.then != after_batch::go_on) hand_over(wish.then);
}

void packet_link::hand_over(after_batch then) {
  outbound_ref batch = outbound_.take(outbox_);
  batch->then = then;
  static_cast<void>(link_->way.push(batch)); // closed: link_down is on its way
}

template <class Call>
void packet_link::tell(Call call) noexcept {
  try {
    call(events_);
  } catch (...) {
    where().log().line(log_level::error, "packet_client", "an event of the user's threw");
  }
}

void packet_link::shut(std::error_code why) noexcept {
  if (std::exchange(is_over_, true)) return;
  wishes_.close(); // so that whoever is told finds it closed
  mails_.close();
  outbox_.clear();
  link_.reset();
  dialer_.reset();
  if (connection_) connection_->stop_soon();
  connection_ = {};
  tell([why](packet_events& events) {
    if (events.on_end) events.on_end(why);
  });
  finish();
}

} // namespace troupe::actors
