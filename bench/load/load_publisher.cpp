#include "load_publisher.hpp"

#include "sequence.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <string_view>

namespace troupe::bench {

load_publisher::load_publisher(const load_plan& plan, publisher_options options, load_client& by,
                               load_gate& gate, load_meter& meter, std::uint32_t mark)
    : plan_{plan},
      options_{std::move(options)},
      by_{by},
      gate_{gate},
      meter_{meter},
      mark_{mark},
      payload_(plan.payload_size()),
      mark_place_{options_.topic.find(message_mark)},
      is_closed_loop_{!plan.is_open_loop()} {
  fill_payload(payload_);
  if (!plan.text.empty()) {
    const auto text = protocol::as_octets(plan.text);
    payload_.assign(text.begin(), text.end());
  }
  for (const auto& [key, value] : plan.user_properties)
    static_cast<void>(properties_.add_user_property(key, value));
  if (!options_.reply_to.empty())
    static_cast<void>(properties_.set(protocol::property::response_topic, options_.reply_to));
}

void load_publisher::start() {
  by_.user().connected([this](const outcome&) { pump(); });
}

bool load_publisher::has_room() const noexcept {
  const std::uint64_t issued = issued_.load(std::memory_order_relaxed);
  if (issued - ended_.load(std::memory_order_acquire) >= plan_.window) return false;
  if (options_.copies == 0) return true;
  const std::uint64_t got =
      receipts_.load(std::memory_order_acquire) + forgiven_.load(std::memory_order_acquire);
  const std::uint64_t whole = std::min(got / options_.copies, issued);
  return issued - whole < plan_.window;
}

bool load_publisher::is_open() noexcept {
  if (is_broken()) return false;
  if (options_.limit != 0 && issued_.load(std::memory_order_relaxed) >= options_.limit) return false;
  return gate_.pass();
}

void load_publisher::pump() noexcept {
  if (calls_.fetch_add(1, std::memory_order_seq_cst) != 0) return;
  std::uint32_t answered = 1;
  for (;;) {
    while (has_room() && is_open()) send(0);
    const std::uint32_t before = calls_.fetch_sub(answered, std::memory_order_acq_rel);
    if (before == answered) return;
    answered = before - answered;
  }
}

bool load_publisher::send_due(std::int64_t due) noexcept {
  if (!is_open()) return false;
  send(due);
  return true;
}

void load_publisher::send(std::int64_t due) {
  const std::int64_t sent = now_ns();
  if (due == 0) due = sent;
  const std::uint64_t number = issued_.fetch_add(1, std::memory_order_acq_rel);
  if (plan_.text.empty())
    write_stamp(payload_, {.publisher = options_.number, .number = number, .due = due, .sent = sent}, mark_);
  meter_.sent.fetch_add(1, std::memory_order_relaxed);
  publish_options how;
  how.retain = plan_.retain;
  if (!options_.reply_to.empty()) {
    std::array<protocol::octet, 8> correlation{};
    std::memcpy(correlation.data(), payload_.data(), correlation.size());
    static_cast<void>(properties_.set(protocol::property::correlation_data, protocol::octets{correlation}));
  }
  if (!properties_.empty()) how.properties = properties_.view();
  by_.user().publish(topic_of(number), payload_, plan_.quality, how,
                     [this, due, sent](const outcome& end) { on_end(end, due, sent); });
}

const std::string& load_publisher::topic_of(std::uint64_t number) {
  if (mark_place_ == std::string::npos) return options_.topic;
  std::array<char, 20> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr;
  const std::string_view text{digits.data(), static_cast<std::size_t>(end - digits.data())};
  numbered_topic_.assign(options_.topic, 0, mark_place_).append(text);
  return numbered_topic_.append(options_.topic, mark_place_ + message_mark.size());
}

void load_publisher::clear_retained() {
  publish_options how;
  how.retain = true;
  const std::uint64_t topics = mark_place_ == std::string::npos ? 1 : issued();
  for (std::uint64_t i = 0; i < topics; ++i)
    static_cast<void>(by_.user().publish(topic_of(i), std::string_view{}, plan_.quality, how));
}

void load_publisher::on_end(const outcome& how, std::int64_t due, std::int64_t sent) noexcept {
  if (how.ok()) {
    meter_.acknowledged.fetch_add(1, std::memory_order_relaxed);
    meter_.record(meter_.acknowledgement, due, sent, now_ns());
  } else {
    failed_.fetch_add(1, std::memory_order_acq_rel);
    meter_.failed.fetch_add(1, std::memory_order_relaxed);
    meter_.note("publish: " + how.text());
    forgiven_.fetch_add(options_.copies, std::memory_order_acq_rel);
    if (how.error()) is_broken_.store(true, std::memory_order_release);
  }
  ended_.fetch_add(1, std::memory_order_seq_cst);
  if (is_closed_loop_) pump();
  if (meter_.is_room_wanted.load(std::memory_order_seq_cst) && meter_.is_room_wanted.exchange(false))
    meter_.room.tell();
  if (gate_.is_closed() && ended() >= issued()) meter_.told.tell(); // a drain may be waiting for it
}

void load_publisher::on_receipt() noexcept {
  receipts_.fetch_add(1, std::memory_order_acq_rel);
  if (is_closed_loop_) pump();
}

void load_publisher::forgive() noexcept {
  const std::uint64_t expected = issued() * options_.copies;
  const std::uint64_t got = receipts();
  if (expected <= got) return;
  forgiven_.store(expected - got, std::memory_order_release);
  pump();
}

} // namespace troupe::bench
