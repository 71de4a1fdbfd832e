// keep_alive: when to ping, when to give up, MQTT 5.0 section 3.1.2.10.
//
// Lives here: ping_watch (the client's side), silence_watch (the server's).
// Holds:   a client pings when for one interval nothing was sent OR nothing was received, so that a
//          peer that vanished is found while we go on publishing at QoS 0. While octets come in, an
//          outstanding PINGRESP may take its time.
// Threads: belongs to one machine.
// Units:   the time is handed in; deadlines come out.
// Costs:   a store a packet.
#pragma once

#include "vocabulary.hpp"

#include <algorithm>

namespace troupe::protocol {

class ping_watch {
public:
  /// `interval` 0 = off. The answer to a ping is waited for at most `patience`, and at most half an
  /// interval: a dead link is known within one and a half intervals.
  void start(duration interval, duration patience, time_point now) noexcept {
    interval_ = interval;
    patience_ = std::min(patience, interval / 2);
    sent_ = received_ = now;
    pinged_ = never;
  }
  void stop() noexcept { interval_ = duration::zero(); }
  void on_sent(time_point now) noexcept { sent_ = std::max(sent_, now); }
  void on_received(time_point now) noexcept { received_ = std::max(received_, now); }
  void on_ping_sent(time_point now) noexcept {
    pinged_ = now;
    on_sent(now);
  }
  void on_pong() noexcept { pinged_ = never; }

  bool is_waiting() const noexcept { return pinged_ != never; }
  /// When something is due; `never` when off.
  time_point deadline() const noexcept {
    if (interval_ == duration::zero()) return never;
    return is_waiting() ? std::max(pinged_, received_) + patience_ : std::min(sent_, received_) + interval_;
  }
  bool ping_is_due(time_point now) const noexcept { return !is_waiting() && deadline() <= now; }
  bool is_lost(time_point now) const noexcept { return is_waiting() && deadline() <= now; }

private:
  duration interval_{};
  duration patience_{};
  time_point sent_{};
  time_point received_{};
  time_point pinged_ = never;
};

class silence_watch {
public:
  /// `interval` 0 = off. The peer may be silent for one and a half intervals [MQTT-3.1.2-22].
  void start(duration interval, time_point now) noexcept {
    allowance_ = interval + interval / 2;
    received_ = now;
  }
  void on_packet(time_point now) noexcept { received_ = std::max(received_, now); }
  time_point deadline() const noexcept {
    return allowance_ == duration::zero() ? never : received_ + allowance_;
  }
  bool is_over(time_point now) const noexcept { return deadline() <= now; }

private:
  duration allowance_{};
  time_point received_{};
};

} // namespace troupe::protocol
