// packet_client: one connection to a broker, packet by packet: no session, no supervision, no rules.
//
// Lives here: packet_client, packet_events (what its user is told).
// Holds:   one dial and one connection, never another. What is sent leaves in the order of the calls, as
//          it is: CONNECT, packet ids, acknowledgements and pings are the user's business. What comes is
//          cut into packets and decoded as for any client; octets that are no packet end the connection.
//          What is sent before the connection stands waits for it. on_end comes once and last.
// Threads: send and the ends: anybody. The events are called on the client's home worker and must not
//          block. Destroy it outside of its events.
// Units:   at most `most_waiting` octets wait to be sent.
// Errors:  errc::backpressure and errc::closed from send; what an encoder refuses; all else in on_end.
// Costs:   a lock, an allocation and a copy per packet sent: it is for tools, tests and bridges of odd
//          protocols, not for streams.
#pragma once

#include "client_options.hpp"

#include "../protocol/outbox.hpp"
#include "../protocol/packet.hpp"
#include "../protocol/publish.hpp"
#include "../protocol/result.hpp"
#include "../runtime/stage.hpp"

#include <concepts>
#include <cstddef>
#include <functional>
#include <memory>
#include <system_error>
#include <vector>

namespace troupe {

/// Any of them may be empty. A packet and what it points at live during the call.
struct packet_events {
  std::function<void()> on_open{};
  std::function<void(const protocol::inbound_packet&)> on_packet{};
  std::function<void(std::error_code)> on_end{};
};

class packet_client {
public:
  static constexpr std::size_t most_waiting = std::size_t{4} << 20U;

  /// Of the options it reads broker, version, maximum_packet_size, the time limits of dialling and of
  /// the end, and how to get there: tls, web_headers, proxy, socket, connector.
  packet_client(stage& where, const client_options& options, packet_events events);
  packet_client(packet_client&&) noexcept = default;
  packet_client& operator=(packet_client&&) = delete;
  ~packet_client();

  /// Octets as they are, whatever they say.
  protocol::result<void> send(protocol::octets packet);
  /// What `encode(protocol::outbox&, protocol::version)` writes: with one of the encoders of protocol.
  template <std::invocable<protocol::outbox&, version> Encode>
  protocol::result<void> send(Encode&& encode) {
    memory_outbox out;
    if constexpr (std::is_void_v<std::invoke_result_t<Encode&, protocol::outbox&, version>>)
      encode(out, version_);
    else if (const auto written = encode(out, version_); !written)
      return written.error();
    return send(protocol::octets{out.take()});
  }
  /// A PUBLISH with the id, the flags and the alias that it says.
  protocol::result<void> publish(const protocol::publish& packet) {
    return send([&packet](protocol::outbox& out, version v) {
      return protocol::encode_publish(out, packet, v, nullptr, protocol::role::client);
    });
  }
  /// Ends the connection once everything sent before is on its way, or at once.
  void close() noexcept;
  void abort() noexcept;

private:
  class link;

  /// What one packet is encoded into.
  class memory_outbox final : public protocol::outbox {
  public:
    void borrow(protocol::octets payload, protocol::keeper* owner) override;
    const std::vector<protocol::octet>& take();

  private:
    void grow(std::size_t count) override;
    std::vector<protocol::octet> octets_;
  };

  const version version_;
  std::shared_ptr<link> link_;
};

} // namespace troupe
