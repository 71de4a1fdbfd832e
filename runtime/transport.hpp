// transport: the byte pipe between us and a peer; knows no MQTT.
//
// Lives here: transport_sink (who is told), transport (what can be asked).
// Holds:   calls to the sink happen on the thread of the transport's home, one at a time, never from
//          inside a call that the sink made to the transport. on_closed comes exactly once and last,
//          whoever closed. After pause() nothing is read until resume().
// Threads: all members are called on the home's thread (for a home without a scheduler of ours, the
//          bridging transport of that home moves calls both ways).
// Units:   octets.
// Errors:  std::error_code in on_closed; none means an orderly end by the peer or by us.
// Costs:   write() only appends; at the home's next idle point everything appended leaves by one
//          gathered write. Reads go into the worker's slab, or straight to wanted().
#pragma once

#include "slab.hpp"

#include "../protocol/buffer_source.hpp"
#include "../protocol/slice.hpp"

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <system_error>

namespace troupe::runtime {

class transport_sink {
public:
  /// Where the next octets should be read to, when the receiver waits for the rest of something
  /// large; empty: read into the worker's slab and call on_read.
  virtual std::span<protocol::octet> wanted() noexcept { return {}; }
  /// `count` octets were read into wanted().
  virtual void on_filled(std::size_t count) { static_cast<void>(count); }
  /// Octets came. They have protocol::read_slack readable octets behind them and live as long as
  /// `bytes` (or a copy of its owner) is held.
  virtual void on_read(protocol::slice bytes) = 0;
  /// Everything handed over before has been written, or the backlog fell below the low mark after it
  /// had passed the high mark.
  virtual void on_writable() = 0;
  /// The pipe is gone. Last call.
  virtual void on_closed(std::error_code why) = 0;

protected:
  ~transport_sink() = default;
};

class transport {
public:
  virtual ~transport() = default;

  /// Begins reading; `sink` must outlive on_closed.
  virtual void start(transport_sink& sink) = 0;
  /// The outbox to encode into. What is committed there leaves at the next idle point.
  virtual protocol::outbox& out() = 0;
  /// Memory for what does not come in one read: of the thread that calls the sink.
  virtual protocol::buffer_source& memory() noexcept = 0;
  /// To be called after appending to out(): makes sure that an idle point writes it.
  virtual void flush_later() = 0;
  /// Octets appended and not yet accepted by the operating system (or the loopback peer).
  virtual std::size_t backlog() const noexcept = 0;
  /// Above the high mark of the backlog: stop producing until on_writable.
  virtual bool is_congested() const noexcept = 0;
  /// Stops / goes on reading; a paused transport lets the peer feel it.
  virtual void pause() = 0;
  virtual void resume() = 0;
  /// Writes what is in out() as far as the peer takes it within the linger time of the settings, then
  /// closes. on_closed follows.
  virtual void close() = 0;
  /// Closes at once; nothing more is written. on_closed follows.
  virtual void abort() = 0;
  /// "127.0.0.1:1883", "loopback://name", for logs.
  virtual std::string peer_name() const = 0;
  /// Whom the peer's certificate names, where it stands for a user; else empty.
  virtual std::string certified_name() const { return {}; }
};

using transport_ptr = std::unique_ptr<transport>;

} // namespace troupe::runtime
