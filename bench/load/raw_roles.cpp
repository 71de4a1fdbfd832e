#include "raw_roles.hpp"

#include <algorithm>

namespace troupe::bench {
namespace {

using protocol::packet_type;
using protocol::qos;

constexpr std::size_t id_count = 65'536;
constexpr std::size_t messages_per_write = 256;
constexpr std::size_t octets_per_write = raw_link::read_size;
/// Payloads from here on are written from where they lie; below, copying them is cheaper.
constexpr std::size_t borrow_from = 4'096;
/// Octets of a borrowed message that are encoded anew: the header and the number in its payload.
constexpr std::size_t number_size = 8;

enum in_flight : std::uint8_t { free_id, published, released };

void put_ack_into(raw_link& link, packet_type type, packet_id id) {
  link.commit(put_ack(link.room(ack_size), type, id));
}

} // namespace

// -- publisher ---------------------------------------------------------------------------------------

raw_publisher::raw_publisher(raw_link& link, const raw_format& format)
    : link_{link}, format_{format}, payload_(format.payload), in_flight_(id_count, free_id) {
  fill_payload(payload_);
  if (format.payload >= borrow_from)
    heads_.resize(messages_per_write * (format.frame() - format.payload + number_size));
}

void raw_publisher::arm(std::uint64_t first, std::uint64_t count) noexcept {
  first_ = first;
  count_ = count;
  produced_ = settled_ = 0;
}

std::size_t raw_publisher::batch() const noexcept {
  return std::clamp<std::size_t>(octets_per_write / format_.frame(), 1, messages_per_write);
}

octet* raw_publisher::encode_head(octet* at) {
  const packet_id id = format_.has_id() ? ids_.next() : packet_id{0};
  if (format_.has_id()) in_flight_[id] = published;
  return put_publish_head(at, format_, id);
}

void raw_publisher::encode_copied(std::size_t messages) {
  octet* at = link_.room(messages * format_.frame());
  for (std::size_t i = 0; i < messages; ++i) {
    at = encode_head(at);
    std::memcpy(at, payload_.data(), payload_.size());
    stamp({at, payload_.size()}, first_ + produced_++);
    at += payload_.size();
  }
  link_.commit(at);
}

void raw_publisher::encode_borrowed(std::size_t messages) {
  octet* at = heads_.data();
  for (std::size_t i = 0; i < messages; ++i) {
    octet* const begin = at;
    at = encode_head(at);
    stamp({at, number_size}, first_ + produced_++);
    at += number_size;
    link_.add_run(begin, static_cast<std::size_t>(at - begin));
    link_.add_borrowed(payload_.data() + number_size, payload_.size() - number_size);
  }
}

void raw_publisher::produce(std::uint64_t limit) {
  const std::uint64_t end = std::min(limit, count_);
  for (std::size_t sent = 0; sent < octets_per_write;) {
    if (!link_.flush() || produced_ >= end) return;
    const auto messages = static_cast<std::size_t>(std::min<std::uint64_t>(batch(), end - produced_));
    heads_.empty() ? encode_copied(messages) : encode_borrowed(messages);
    sent += messages * format_.frame();
  }
  link_.flush();
}

void raw_publisher::on_frame(const raw_frame& frame) {
  const packet_id id = frame.id();
  if (frame.type() == packet_type::pubrec) {
    in_flight_[id] = released;
    put_ack_into(link_, packet_type::pubrel, id);
    return;
  }
  if (in_flight_[id] == free_id) return;
  in_flight_[id] = free_id;
  ++settled_;
}

// -- subscriber --------------------------------------------------------------------------------------

raw_subscriber::raw_subscriber(raw_link& link, const raw_format& format)
    : link_{link}, format_{format}, check_{format.payload}, seen_(id_count, free_id) {
  topics_[format.topic] = 1;
}

void raw_subscriber::on_frame(const raw_frame& frame) {
  if (frame.type() == packet_type::publish) return on_publish(frame);
  const packet_id id = frame.id();
  seen_[id] = free_id;
  put_ack_into(link_, packet_type::pubcomp, id);
}

void raw_subscriber::on_publish(const raw_frame& frame) {
  const raw_publish message = take_apart(frame, format_.version);
  if (topics_.find(message.topic) == topics_.end()) return;
  if (format_.quality == qos::at_most_once) {
    check_.take(message.payload);
    return;
  }
  const auto id = static_cast<packet_id>(get_u16(message.id));
  const bool is_new = seen_[id] == free_id;
  if (format_.quality == qos::exactly_once) seen_[id] = published;
  if (is_new) check_.take(message.payload);
  put_ack_into(link_, format_.quality == qos::at_least_once ? packet_type::puback : packet_type::pubrec, id);
}

// -- broker ------------------------------------------------------------------------------------------

raw_broker::raw_broker(raw_link& publisher, raw_link& subscriber, const raw_format& format)
    : publisher_{publisher},
      subscriber_{subscriber},
      format_{format},
      arriving_(id_count, free_id),
      leaving_(id_count, free_id) {
  for (int i = 0; i < 100; ++i) names_.push_back("another/topic/" + std::to_string(i));
  for (const std::string& name : names_) topics_[name] = 0;
  topics_[format.topic] = 1;
}

bool raw_broker::step() {
  take_all(publisher_);
  if (&publisher_ != &subscriber_) {
    take_all(subscriber_);
    publisher_.flush();
  }
  subscriber_.flush();
  settled_.store(acknowledged_, std::memory_order_release);
  return !publisher_.is_closed() && !subscriber_.is_closed();
}

void raw_broker::unblock() {
  while (subscriber_.has_runs() && !subscriber_.flush()) subscriber_.wait_for_room();
}

void raw_broker::take_all(raw_link& from) {
  if (&from == &publisher_ && is_blocked()) return; // the run waiting lies in this link's buffer
  if (!from.read(raw_link::wait::no)) return;
  for (raw_frame frame = from.next_frame(); frame.size != 0; frame = from.next_frame()) on_frame(from, frame);
}

void raw_broker::on_frame(raw_link& from, const raw_frame& frame) {
  switch (frame.type()) {
  case packet_type::publish: return on_publish(from, frame);
  case packet_type::pubrel:
    arriving_[frame.id()] = free_id;
    return put_ack_into(from, packet_type::pubcomp, frame.id());
  case packet_type::pubrec:
    leaving_[frame.id()] = released;
    return put_ack_into(from, packet_type::pubrel, frame.id());
  default: leaving_[frame.id()] = free_id; ++acknowledged_;
  }
}

void raw_broker::on_publish(raw_link& from, const raw_frame& frame) {
  const raw_publish message = take_apart(frame, format_.version);
  const auto place = topics_.find(message.topic);
  if (place == topics_.end() || place->second == 0) return;
  if (format_.has_id()) {
    const auto id = static_cast<packet_id>(get_u16(message.id));
    const bool twice = format_.quality == qos::exactly_once;
    put_ack_into(from, twice ? packet_type::pubrec : packet_type::puback, id);
    if (twice && arriving_[id] != free_id) return;
    if (twice) arriving_[id] = published;
    const packet_id own = ids_.next();
    leaving_[own] = published;
    put_u16(message.id, own);
  }
  subscriber_.add_run(frame.begin, frame.size);
}

} // namespace troupe::bench
