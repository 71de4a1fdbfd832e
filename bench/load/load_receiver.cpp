#include "load_receiver.hpp"

#include "sequence.hpp"

#include <condition_variable>
#include <cstring>
#include <mutex>

namespace troupe::bench {

load_receiver::load_receiver(const load_plan& plan, const publisher_list& publishers, load_meter& meter,
                             std::uint32_t mark)
    : plan_{plan}, publishers_{publishers}, meter_{meter}, mark_{mark}, expected_(plan.payload_size()) {
  fill_payload(expected_);
  const bool sees_all = plan.share.empty() && plan.kind != load_kind::subscribe;
  if (plan.verify && sees_all) flows_.resize(plan.publishers);
}

bool load_receiver::is_sound(protocol::octets payload) const noexcept {
  if (payload.size() != expected_.size()) return false;
  const std::size_t head = payload.size() < stamped_octets ? numbered_octets : stamped_octets;
  return std::memcmp(payload.data() + head, expected_.data() + head, payload.size() - head) == 0;
}

void load_receiver::note_time(const message_stamp& stamp) noexcept {
  if (!stamp.is_timed) return;
  const std::int64_t now = now_ns();
  meter_.record(meter_.end_to_end, stamp.due, stamp.sent, now);
  if (meter_.events != nullptr)
    meter_.events->add({stamp.publisher, stamp.number, stamp.due, stamp.sent, now});
}

void load_receiver::take(const message& m) noexcept {
  const message_stamp stamp = read_stamp(m.payload(), mark_);
  if (plan_.kind == load_kind::subscribe || !plan_.text.empty() || !stamp.is_numbered) {
    note_time(stamp);
    return meter_.count_receipt();
  }
  if (stamp.publisher >= publishers_.size() || stamp.number >= publishers_[stamp.publisher]->issued()) {
    meter_.foreign.fetch_add(1, std::memory_order_relaxed);
    return;
  }
  note_time(stamp);
  if (plan_.verify && !is_sound(m.payload())) meter_.damaged.fetch_add(1, std::memory_order_relaxed);
  if (!flows_.empty()) flows_[stamp.publisher].take(stamp.number);
  if (stored_ != 0) count_stored();
  meter_.count_receipt();
  publishers_[stamp.publisher]->on_receipt();
}

void load_receiver::take_slowly(const message& m, std::chrono::milliseconds pause,
                                const std::stop_token& end) noexcept {
  const message_stamp stamp = read_stamp(m.payload(), mark_);
  if (stamp.is_timed && meter_.is_measured(stamp.due)) meter_.slow_end_to_end.record(now_ns() - stamp.due);
  meter_.slow_received.fetch_add(1, std::memory_order_relaxed);
  // The slowness itself: it is what is measured, and nothing is synchronised by it. A stop ends it at once.
  std::mutex nobody_else;
  std::unique_lock lock{nobody_else};
  std::condition_variable_any{}.wait_for(lock, end, pause, [] { return false; });
}

void load_receiver::await_stored(std::uint64_t count) noexcept {
  stored_ = count;
  stored_since_ = now_ns();
}

void load_receiver::count_stored() noexcept {
  if (++stored_got_ == 1) meter_.first_stored.record(now_ns() - stored_since_);
  if (stored_got_ == stored_) meter_.all_stored.record(now_ns() - stored_since_);
}

receiver_faults load_receiver::faults(std::span<const std::uint32_t> from) const {
  receiver_faults sum;
  if (flows_.empty()) return sum;
  for (const std::uint32_t number : from) {
    const flow_check& flow = flows_[number];
    sum.lost += flow.lost(publishers_[number]->issued());
    sum.duplicated += flow.duplicated();
    sum.reordered += flow.reordered();
  }
  return sum;
}

void load_responder::take(const message& m) noexcept {
  const auto topic = m.properties().text(protocol::property::response_topic);
  const auto correlation = m.properties().binary(protocol::property::correlation_data);
  if (!topic || !correlation) {
    meter_.foreign.fetch_add(1, std::memory_order_relaxed);
    return;
  }
  static_cast<void>(properties_.set(protocol::property::correlation_data, *correlation));
  publish_options how;
  how.properties = properties_.view();
  by_.user().publish(*topic, m.payload(), plan_.quality, how, [this](const outcome& end) {
    if (end.ok()) return;
    meter_.failed.fetch_add(1, std::memory_order_relaxed);
    meter_.note("respond: " + end.text());
  });
}

} // namespace troupe::bench
