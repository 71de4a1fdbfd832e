// The input of peer: octets cut into packets, packets given to the machine or, plain ones, to the router.
#include "peer.hpp"

#include "shard.hpp"

#include "../protocol/packet.hpp"

#include <utility>
#include <variant>

namespace troupe::brokerage {

std::span<protocol::octet> peer::wanted() noexcept { return framer_.wanted(); }

void peer::on_filled(std::size_t count) {
  const event here{shard_};
  shard_.shop().counts.octets_received.add(count);
  framer_.filled(count);
  take_frames();
}

void peer::on_read(protocol::slice bytes) {
  const event here{shard_};
  if (is_leaving_) return;
  shard_.shop().counts.octets_received.add(bytes.size());
  framer_.feed(bytes.bytes());
  input_ = std::move(bytes);
  take_frames();
}

void peer::take_frames() {
  const protocol::time_point now = shard_.shop().now;
  is_taking_ = true;
  protocol::frame frame;
  protocol::inbound_packet packet;
  protocol::topic_memory memory;
  protocol::burst_reader burst;
  reading_ = input_.owner().get();
  for (bool is_first = true; !is_leaving_; is_first = false) {
    if (!is_judged_ || is_stopped()) return stand_still();
    if (const protocol::errc end = framer_.next(frame); end != protocol::errc{}) {
      if (end == protocol::errc::packet_too_large)
        machine_.on_oversized(input_.bytes(), now);
      else if (end != protocol::errc::need_more)
        machine_.on_bad_bytes(end, now);
      break;
    }
    if (is_first) [[unlikely]] // it alone can have begun in an earlier read
      if (const protocol::keeper_ref own = framer_.retained(frame)) {
        take_frame(frame, own);
        continue;
      }
    const auto wrong = protocol::decode_packet_into(packet, frame, version_, protocol::role::server, memory);
    const auto* const arrived = std::get_if<protocol::inbound_publish>(&packet);
    if (wrong != protocol::errc{}) {
      machine_.on_bad_bytes(wrong, now);
    } else if (arrived != nullptr && machine_.is_plain(*arrived)) {
      machine_.on_received(now);
      on_publish(arrived->packet, arrived->whole, true);
      burst.learn(*arrived, version_);
      take_burst(burst);
    } else {
      if (arrived != nullptr) burst.learn(*arrived, version_);
      machine_.on_packet(packet, now);
      take_known(burst, packet);
    }
  }
  is_taking_ = false;
  shard_.routing().flush_run();
  reading_ = nullptr;
  input_ = {};
  touch();
  if (!is_gone_) watch_backlog();
}

/// The rest of the input waits: for the answer to CONNECT, or until a full queue has room.
void peer::stand_still() {
  is_taking_ = false;
  shard_.routing().flush_run();
  touch();
  transport_->pause();
}

/// What follows and need not be decoded; `packet` is where it is put.
void peer::take_known(const protocol::burst_reader& burst, protocol::inbound_packet& packet) {
  const protocol::time_point now = shard_.shop().now;
  while (!is_leaving_ && is_judged_ && !is_stopped()) {
    protocol::ack answer;
    if (const protocol::octet* next = burst.next(framer_)) {
      packet = burst.first();
      burst.adapt(*std::get_if<protocol::inbound_publish>(&packet), next);
    } else if (protocol::burst_reader::next_ack(framer_, answer)) {
      packet = answer;
    } else {
      return;
    }
    machine_.on_packet(packet, now);
  }
}

/// What follows a plain publish and is like it, down to the topic.
void peer::take_burst(const protocol::burst_reader& burst) {
  const bool may_stop = shard_.shop().options.when_full == overflow::block;
  if (may_stop && !shard_.routing().gathers(*this)) return; // one by one: any of them may be the last
  const protocol::octets all = burst.take_all(framer_);
  if (all.empty() || session_ == nullptr) return;
  if (shard_.routing().prolong_by(*this, all, burst.size())) return;
  protocol::inbound_publish each = burst.first();
  for (std::size_t done = 0; done != all.size() && !is_leaving_; done += burst.size()) {
    burst.adapt(each, all.data() + done);
    on_publish(each.packet, each.whole, true);
  }
}

/// One that the framer's own buffer keeps.
void peer::take_frame(const protocol::frame& frame, const protocol::keeper_ref& own) {
  reading_ = own.get();
  const auto packet = protocol::decode_packet(frame, version_, protocol::role::server);
  if (packet)
    machine_.on_packet(*packet, shard_.shop().now);
  else
    machine_.on_bad_bytes(packet.error(), shard_.shop().now);
  shard_.routing().flush_run(); // what it gathered lies in a buffer that is kept no longer
  reading_ = input_.owner().get();
}

} // namespace troupe::brokerage
