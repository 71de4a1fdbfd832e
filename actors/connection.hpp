// connection: octets <-> packets over one transport.
//
// Lives here: the actor connection. It cuts what comes in into packets and sends one batch per read up;
//          what goes out was encoded by the session (fewer octets are touched that way) and is handed
//          to the transport as it is.
// Holds:   everything of it dies with its transport: framer, sizes, batches not yet used. It says
//          link_up before the first batch and link_down after the last, by one inlet. Above the bounds
//          of its batches it stops reading until handlers have caught up.
// Threads: lives on its home's thread, also where CAF's own scheduler runs actors: there the bell only
//          posts it home.
// Errors:  octets that are no packet end a batch, with the reason; the session's machine answers. What
//          the transport reports goes up in link_down.
// Costs:   a packet is cut and decoded in place; an atomic step and a push per read. Nothing is
//          allocated in the steady state.
#pragma once

#include "client_hooks.hpp"
#include "messages.hpp"

#include "../protocol/burst_reader.hpp"
#include "../protocol/framer.hpp"
#include "../runtime/outlet.hpp"
#include "../runtime/resident.hpp"
#include "../runtime/transport.hpp"

#include <atomic>
#include <cstdint>

namespace troupe::actors {

struct connection_options {
  std::uint64_t number = 0; // of this connection of its client
  protocol::version version = protocol::version::v5_0;
  std::uint32_t maximum_packet_size = protocol::max_packet_size;
  batch_limits in_flight{};
  std::shared_ptr<client_hooks> hooks{}; // if they want to see octets
};

class connection final : public runtime::resident, private runtime::transport_sink {
public:
  connection(caf::actor_config& config, runtime::place where, connection_options options,
             runtime::transport_ptr pipe, runtime::inlet<session_mail> up);
  ~connection() override;

private:
  bool on_bell() override;
  void on_stop() override;
  bool work();
  void start();
  void write(outbound_ref&& taken);
  void tell_level();
  /// Lets go of everything but the transport, which may be calling us.
  void let_go() noexcept;
  void end() noexcept;

  void on_read(protocol::slice bytes) override;
  std::span<protocol::octet> wanted() noexcept override { return framer_.wanted(); }
  void on_filled(std::size_t count) override;
  void on_writable() override;
  void on_closed(std::error_code why) override;

  void collect(inbound_batch* batch);
  void collect_known(inbound_batch& batch, const protocol::burst_reader& burst);
  inbound_batch* begin_batch(std::size_t octets, const protocol::keeper_ref& bytes);
  void send_up(inbound_batch* batch);
  void push(session_mail&& mail);
  void show(direction which, protocol::octets what) noexcept;

  const connection_options options_;
  runtime::mailbox<outbound_ref> mailbox_;
  runtime::outlet<outbound_ref> outlet_;
  link_gauge gauge_; // also read and written by the session

  // The home's thread only.
  runtime::transport_ptr pipe_;
  runtime::inlet<session_mail> up_;
  protocol::framer framer_;
  batch_pool& batches_; // lives until its last batch is home
  bool is_started_ = false;
  bool is_paused_ = false;
  bool is_deaf_ = false;   // what came was no MQTT: the rest is not looked at
  bool is_closed_ = false; // by the transport: nothing more comes, nothing more goes
};

} // namespace troupe::actors
