#include "store.hpp"

#include "peer_session.hpp"

#include "../protocol/publish.hpp"

#include <utility>

namespace troupe::brokerage {

namespace {

constexpr unsigned shard_shift = 56; // of a message's number

std::chrono::milliseconds since_epoch(auto moment) noexcept {
  return std::chrono::duration_cast<std::chrono::milliseconds>(moment.time_since_epoch());
}

} // namespace

store::store(std::shared_ptr<runtime::record_store> records, std::uint32_t self, runtime::bell* told,
             protocol::time_point now, std::uint64_t last_message)
    : records_{std::move(records)},
      told_{told},
      last_message_{last_message != 0 ? last_message : std::uint64_t{self + 1} << shard_shift},
      wall_offset_{since_epoch(records_->wall_now()) - since_epoch(now)} {}

// -- sessions -----------------------------------------------------------------

std::string_view store::key_under(session_number who, char kind, std::uint64_t number, unsigned octets) {
  return key_of_session(key_, who).letter(kind).number(number, octets).written();
}

void store::keep(const peer_session& who, bool is_connected) {
  session_record what{.expiry = static_cast<std::uint32_t>(who.expiry.count()), .client_id = who.client_id()};
  if (!is_connected) what.ends = who.ends == protocol::never ? never_ends : wall(who.ends);
  keep(who, what);
}

void store::keep_ended(const peer_session& who) { keep(who, {.expiry = 0, .client_id = who.client_id()}); }

void store::keep(const peer_session& who, const session_record& what) {
  ++written_;
  write(value_, what);
  changes_.put(key_of_session(key_, who.number()).letter(record_kind::head).written(), value_.written());
}

void store::forget(session_number who, std::span<const message_ref> messages) {
  ++written_;
  for (const message_ref& one : messages) release(one);
  using namespace record_kind;
  for (const char kind : {head, filter, delivery, receipt})
    changes_.erase_prefix(key_of_session(key_, who).letter(kind).written());
}

void store::keep_filter(session_number who, std::string_view filter, const grant& how) {
  ++written_;
  write(value_, how);
  changes_.put(key_of_session(key_, who).letter(record_kind::filter).text(filter).written(),
               value_.written());
}

void store::drop_filter(session_number who, std::string_view filter) {
  ++written_;
  changes_.erase(key_of_session(key_, who).letter(record_kind::filter).text(filter).written());
}

void store::keep_will(const peer_session& who, bool is_connected) {
  ++written_;
  write_frame(who.will);
  const wall_moment due = is_connected ? was_connected : wall(who.will_due);
  value_.anew().number(static_cast<std::uint64_t>(due), 8);
  value_.number(static_cast<std::uint64_t>(who.will_delay.count()), 4);
  value_.number(static_cast<std::uint64_t>(wall(who.will->received())), 8).text(frame_.text());
  changes_.put(key_of_session(key_, who.number()).letter(record_kind::will).written(), value_.written());
}

void store::drop_will(session_number who) {
  ++written_;
  changes_.erase(key_of_session(key_, who).letter(record_kind::will).written());
}

void store::keep_receipt(session_number who, protocol::packet_id id) {
  ++written_;
  changes_.put(key_under(who, record_kind::receipt, id, 2), {});
}

void store::drop_receipt(session_number who, protocol::packet_id id) {
  ++written_;
  changes_.erase(key_under(who, record_kind::receipt, id, 2));
}

// -- messages -----------------------------------------------------------------

void store::write_frame(const message_ref& message) {
  protocol::publish packet = message->packet();
  packet.dup = false;
  packet.id = packet.quality == protocol::qos::at_most_once ? protocol::packet_id{0} : protocol::packet_id{1};
  frame_.clear();
  protocol::append_publish(frame_, packet, protocol::version::v5_0, nullptr);
}

void store::number_message(const message_ref& message) {
  message->record() = {++last_message_, 1};
  write_frame(message);
  value_.anew().number(static_cast<std::uint64_t>(wall(message->received())), 8).text(frame_.text());
  changes_.add(key_of_message(key_, last_message_).written(), value_.written());
}

void store::keep_delivery(session_number who, std::uint64_t sequence, bool is_new, const message_ref& message,
                          delivery_record what, std::span<const std::uint32_t> identifiers) {
  ++written_;
  if (is_new) {
    if (message->record().number == 0)
      number_message(message);
    else
      ++message->record().references;
  }
  what.message = message->record().number;
  write(value_, what, identifiers);
  const std::string_view key = key_under(who, record_kind::delivery, sequence, 8);
  if (is_new)
    changes_.add(key, value_.written());
  else
    changes_.put(key, value_.written());
}

void store::drop_delivery(session_number who, std::uint64_t sequence, const message_ref& message) {
  ++written_;
  changes_.erase(key_under(who, record_kind::delivery, sequence, 8));
  release(message);
}

void store::release(const message_ref& message) {
  auto& record = message->record();
  if (record.references == 0 || --record.references != 0) return;
  changes_.erase(key_of_message(key_, record.number).written());
  record = {};
}

bool store::hand_on(const message_ref& original, const message_ref& copy) {
  auto& record = original->record();
  if (record.references == 1) {
    copy->record() = std::exchange(record, {});
    return false;
  }
  release(original);
  number_message(copy);
  return true;
}

void store::keep_word(const message_ref& word, const stamp& when) {
  ++written_;
  write_frame(word);
  value_.anew().number(when.count, 8).number(when.shard, 4);
  value_.number(static_cast<std::uint64_t>(wall(word->received())), 8).text(frame_.text());
  changes_.put(key_of_word(key_, word->packet().topic).written(), value_.written());
}

void store::drop_word(std::string_view topic) {
  ++written_;
  changes_.erase(key_of_word(key_, topic).written());
}

// -- batches ------------------------------------------------------------------

void store::hand_over_in_turn() {
  if (changes_.empty()) return;
  const bool is_turn = on_the_way_.empty();
  if (is_turn || (changes_.size() > large_batch && on_the_way_.size() < most_on_the_way)) hand_over();
}

void store::hand_over() {
  if (changes_.empty()) return;
  const std::size_t octets = changes_.size();
  const std::uint64_t ticket = records_->submit(changes_, told_);
  on_the_way_.push_back({batch_++, ticket, octets});
  octets_on_the_way_ += octets;
}

bool store::poll() {
  const std::uint64_t before = kept_;
  const std::uint64_t committed = records_->committed();
  while (!on_the_way_.empty() && on_the_way_.front().ticket <= committed) {
    kept_ = on_the_way_.front().batch;
    octets_on_the_way_ -= on_the_way_.front().octets;
    on_the_way_.pop_front();
  }
  return kept_ != before;
}

// -- time ---------------------------------------------------------------------

wall_moment store::wall(protocol::time_point when) const noexcept {
  return (since_epoch(when) + wall_offset_).count();
}

protocol::time_point store::steady(wall_moment when) const noexcept {
  return protocol::time_point{std::chrono::milliseconds{when} - wall_offset_};
}

} // namespace troupe::brokerage
