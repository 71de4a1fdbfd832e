#include "faulty_transport.hpp"

#include "../protocol/connect.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace troupe::brokerage {

using protocol::octet;
using protocol::packet_type;

namespace {

constexpr std::size_t most_paced = std::size_t{512} << 10U;
/// Invented packet ids come from the end that sessions reach last.
constexpr protocol::packet_id first_invented = 0xF000;

using octet_list = std::vector<octet>;

packet_type type_of(const octet_list& packet) noexcept { return static_cast<packet_type>(packet[0] >> 4U); }

/// Octets before the body.
std::size_t header_of(protocol::octets packet) noexcept {
  std::size_t size = 2;
  while (size <= 5 && size <= packet.size() && (packet[size - 1] & 0x80U) != 0) ++size;
  return size;
}

/// Octets of the first packet of `bytes`; 0: it is not whole.
std::size_t first_packet(protocol::octets bytes) noexcept {
  const std::size_t header = header_of(bytes);
  if (bytes.size() < header || header > 5) return 0;
  std::size_t length = 0;
  for (std::size_t at = header - 1; at > 0; --at) length = length << 7U | (bytes[at] & 0x7FU);
  return bytes.size() < header + length ? 0 : header + length;
}

/// Takes the first packet off the front; empty: it is not whole.
octet_list take_packet(octet_list& bytes) {
  const auto end = bytes.begin() + static_cast<std::ptrdiff_t>(first_packet(bytes));
  octet_list packet(bytes.begin(), end);
  bytes.erase(bytes.begin(), end);
  return packet;
}

std::size_t number_at(const octet_list& packet, std::size_t at) noexcept {
  return at + 1 < packet.size() ? std::size_t{packet[at]} << 8U | packet[at + 1] : 0;
}

unsigned quality_of(const octet_list& publish) noexcept { return (publish[0] >> 1U) & 3U; }

/// Where a PUBLISH at QoS 1 or 2 has its packet id.
std::size_t id_place(const octet_list& publish) noexcept {
  const std::size_t header = header_of(publish);
  return header + 2 + number_at(publish, header);
}

void set_id(octet_list& publish, protocol::packet_id id) {
  const std::size_t at = id_place(publish);
  if (at + 1 >= publish.size()) return;
  publish[at] = static_cast<octet>(id >> 8U);
  publish[at + 1] = static_cast<octet>(id & 0xFFU);
}

bool is_ack(packet_type type) noexcept {
  return type == packet_type::puback || type == packet_type::pubrec || type == packet_type::pubrel
         || type == packet_type::pubcomp;
}

/// Where the codes of a SUBACK begin.
std::size_t codes_place(const octet_list& suback, protocol::version version) noexcept {
  std::size_t at = header_of(suback) + 2;
  if (version != protocol::version::v5_0) return at;
  std::size_t length = 0;
  for (unsigned shift = 0; at < suback.size() && shift < 28; shift += 7) {
    const octet one = suback[at++];
    length |= std::size_t{one & 0x7FU} << shift;
    if ((one & 0x80U) == 0) break;
  }
  return at + length;
}

} // namespace

// -- life -----------------------------------------------------------------------------------------------

faulty_transport::faulty_transport(std::shared_ptr<fault_orders> orders, runtime::transport_ptr real,
                                   runtime::clock& time)
    : orders_{std::move(orders)}, real_{std::move(real)}, time_{time}, invented_{first_invented} {}

faulty_transport::~faulty_transport() = default;

void faulty_transport::start(runtime::transport_sink& sink) {
  sink_ = &sink;
  real_->start(*this);
}

bool faulty_transport::is_congested() const noexcept {
  return paced_.size() > most_paced || real_->is_congested();
}

void faulty_transport::close() {
  flush_later();
  if (paced_.empty() || is_black_)
    end();
  else
    is_closing_ = true;
}

void faulty_transport::on_closed(std::error_code why) {
  is_over_ = true;
  piece_due_.disarm();
  delay_due_.disarm();
  sink_->on_closed(why);
}

// -- to the client --------------------------------------------------------------------------------------

void faulty_transport::flush_later() {
  const protocol::octets fresh = out_.octets();
  outgoing_.insert(outgoing_.end(), fresh.begin(), fresh.end());
  out_.clear();
  for (octet_list packet = take_packet(outgoing_); !packet.empty(); packet = take_packet(outgoing_))
    send(std::move(packet));
  real_->flush_later();
}

void faulty_transport::send(octets packet) {
  if (is_black_ || is_over_) return;
  const packet_type type = type_of(packet);
  if (type == packet_type::publish) remember(packet);
  std::vector<octets> packets;
  packets.push_back(std::move(packet));
  const auto orders = orders_->take(fault::way::to_client, type, client_id_);
  // what stepped back was of this type, unless it is this one
  std::optional<octets> behind;
  if (stepped_back_ && type_of(*stepped_back_) == type) behind = std::exchange(stepped_back_, {});
  for (const fault& each : orders) apply(each, packets);
  for (const octets& each : packets) emit(each);
  if (behind) emit(*behind);
}

void faulty_transport::apply(const fault& order, std::vector<octets>& packets) {
  if (packets.empty()) return;
  octets& first = packets.front();
  const std::size_t header = header_of(first);
  switch (order.what) {
  case fault::deed::rewrite: return order.change ? order.change(first) : void();
  case fault::deed::refuse: return refuse(order, first);
  case fault::deed::claim:
    if (header < first.size()) first[header] = order.is_present ? 1 : 0;
    return;
  case fault::deed::deny: {
    const std::size_t at = codes_place(first, version_) + order.count;
    if (at < first.size())
      first[at] = version_ == protocol::version::v5_0 ? static_cast<octet>(order.reason) : octet{0x80};
    return;
  }
  case fault::deed::lose: return packets.clear();
  case fault::deed::delay:
  case fault::deed::step_back: return put_off(order, packets);
  case fault::deed::repeat:
  case fault::deed::resend:
  case fault::deed::overrun: return add_copies(order, packets);
  case fault::deed::cut: left_ = order.count; return;
  case fault::deed::pace:
    piece_ = std::max<std::size_t>(order.count, 1);
    between_ = order.time;
    return;
  case fault::deed::black_hole: is_black_ = true; return;
  }
}

void faulty_transport::refuse(const fault& order, octets& packet) {
  if (version_ == protocol::version::v5_0)
    packet = {0x20, 3, 0, static_cast<octet>(order.reason), 0};
  else
    packet = {0x20, 2, 0, protocol::to_return_code(order.reason)};
  left_ = packet.size();
}

void faulty_transport::put_off(const fault& order, std::vector<octets>& packets) {
  octets first = std::move(packets.front());
  packets.erase(packets.begin());
  if (order.what == fault::deed::step_back) {
    stepped_back_ = std::move(first);
    return;
  }
  const runtime::time_point due = time_.now() + order.time;
  const auto later =
      std::find_if(late_.begin(), late_.end(), [due](const auto& one) { return one.first > due; });
  late_.insert(later, {due, std::move(first)});
  time_.arm(delay_due_, late_.front().first);
}

void faulty_transport::add_copies(const fault& order, std::vector<octets>& packets) {
  const octets first = packets.front();
  if (order.what == fault::deed::repeat) {
    packets.insert(packets.end(), order.count, first);
    return;
  }
  if (order.what == fault::deed::resend) {
    const auto known = last_.find(static_cast<protocol::packet_id>(number_at(first, header_of(first))));
    if (known != last_.end()) packets.insert(packets.begin(), known->second);
    return;
  }
  if (quality_of(first) == 0) return;
  for (std::size_t each = 0; each < order.count; ++each) {
    packets.push_back(first);
    set_id(packets.back(), ++invented_);
  }
}

void faulty_transport::remember(const octets& publish) {
  if (quality_of(publish) != 2) return;
  octets again = publish;
  again[0] |= 8U;
  last_[static_cast<protocol::packet_id>(number_at(publish, id_place(publish)))] = std::move(again);
}

void faulty_transport::emit(const octets& bytes) {
  if (is_black_ || is_over_) return;
  std::size_t count = bytes.size();
  if (left_) count = std::min(count, *left_);
  if (piece_ != 0)
    paced_.insert(paced_.end(), bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(count));
  else
    write(bytes.data(), count);
  if (left_ && (*left_ -= count) == 0) {
    is_over_ = true;
    is_closing_ = true;
  }
  if (piece_ != 0)
    pump();
  else if (is_closing_)
    end();
}

void faulty_transport::end() {
  if (!std::exchange(is_end_said_, true)) real_->close();
}

void faulty_transport::write(const octet* from, std::size_t count) {
  protocol::outbox& to = real_->out();
  to.commit(std::copy_n(from, count, to.reserve(count)));
}

/// The next piece, unless the last one is still on its way.
void faulty_transport::pump() {
  if (is_piece_out_ || is_black_) return;
  if (paced_.empty()) {
    if (is_closing_) end();
    return;
  }
  const auto end = paced_.begin() + static_cast<std::ptrdiff_t>(std::min(piece_, paced_.size()));
  const octet_list piece(paced_.begin(), end);
  paced_.erase(paced_.begin(), end);
  write(piece.data(), piece.size());
  is_piece_out_ = true;
  if (between_.count() != 0) time_.arm_in(piece_due_, between_);
  real_->flush_later();
}

void faulty_transport::on_piece_due() {
  is_piece_out_ = false;
  pump();
}

void faulty_transport::on_writable() {
  if (piece_ != 0 && between_.count() == 0) on_piece_due();
  sink_->on_writable();
}

void faulty_transport::on_delay_due() {
  while (!late_.empty() && late_.front().first <= time_.now()) {
    emit(late_.front().second);
    late_.pop_front();
  }
  if (!late_.empty()) time_.arm(delay_due_, late_.front().first);
  real_->flush_later();
}

// -- from the client ------------------------------------------------------------------------------------

void faulty_transport::on_read(protocol::slice bytes) {
  incoming_.insert(incoming_.end(), bytes.bytes().begin(), bytes.bytes().end());
  octets through;
  for (octets packet = take_packet(incoming_); !packet.empty(); packet = take_packet(incoming_))
    if (receive(packet)) through.insert(through.end(), packet.begin(), packet.end());
  if (through.empty()) return;
  const protocol::fresh_buffer copy = real_->memory().take_buffer(through.size());
  if (copy.owner == nullptr) return real_->abort();
  std::memcpy(copy.data, through.data(), through.size());
  sink_->on_read({{copy.data, through.size()}, protocol::keeper_ref::adopt(copy.owner)});
}

/// Whether the broker is to see it.
bool faulty_transport::receive(octets& packet) {
  const packet_type type = type_of(packet);
  if (type == packet_type::connect) learn(packet);
  if (is_black_) return false;
  // acknowledgements of what no session has sent
  if (is_ack(type) && number_at(packet, header_of(packet)) > first_invented
      && number_at(packet, header_of(packet)) <= invented_)
    return false;
  for (const fault& each : orders_->take(fault::way::from_client, type, client_id_)) {
    if (each.what == fault::deed::rewrite && each.change) each.change(packet);
    if (each.what == fault::deed::black_hole) is_black_ = true;
    if (each.what == fault::deed::cut) real_->abort();
    if (each.what == fault::deed::lose || is_black_ || each.what == fault::deed::cut) return false;
  }
  return true;
}

void faulty_transport::learn(const octets& connect) {
  octets padded = connect;
  padded.resize(connect.size() + protocol::read_slack);
  const std::size_t header = header_of(connect);
  const auto said =
      protocol::decode_connect(connect[0], protocol::octets{padded}.subspan(header, connect.size() - header));
  if (!said) return;
  client_id_ = said->client_id;
  version_ = said->protocol;
}

} // namespace troupe::brokerage
