// faulty_transport: a transport that obeys fault orders.
//
//   peer --packets--> faults --octets--> the real transport
//        <--packets-- faults <--octets--
//
// Lives here: faulty_transport.
// Holds:   the stream both ways is cut into packets; each is handed on, changed, or not, as the orders say.
//          Packets that no order fits keep their order and their octets.
// Threads: as any transport: one thread, that of its home; delays are deadlines of that thread's clock.
#pragma once

#include "faults.hpp"
#include "octet_outbox.hpp"

#include "../runtime/clock.hpp"
#include "../runtime/transport.hpp"

#include <deque>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace troupe::brokerage {

class faulty_transport final : public runtime::transport, public runtime::transport_sink {
public:
  faulty_transport(std::shared_ptr<fault_orders> orders, runtime::transport_ptr real, runtime::clock& time);
  ~faulty_transport() override;

  // transport
  void start(runtime::transport_sink& sink) override;
  protocol::outbox& out() override { return out_; }
  protocol::buffer_source& memory() noexcept override { return real_->memory(); }
  void flush_later() override;
  std::size_t backlog() const noexcept override { return paced_.size() + real_->backlog(); }
  bool is_congested() const noexcept override;
  void pause() override { real_->pause(); }
  void resume() override { real_->resume(); }
  void close() override;
  void abort() override { real_->abort(); }
  std::string peer_name() const override { return real_->peer_name(); }
  std::string certified_name() const override { return real_->certified_name(); }

  // transport_sink
  void on_read(protocol::slice bytes) override;
  void on_writable() override;
  void on_closed(std::error_code why) override;

private:
  using octets = std::vector<protocol::octet>;

  void send(octets packet);
  /// What becomes of one packet to the client: these go out instead of it.
  void apply(const fault& order, std::vector<octets>& packets);
  void refuse(const fault& order, octets& packet);
  void put_off(const fault& order, std::vector<octets>& packets);
  void add_copies(const fault& order, std::vector<octets>& packets);
  void emit(const octets& bytes);
  void write(const protocol::octet* from, std::size_t count);
  void pump();
  void end();
  void on_piece_due();
  void on_delay_due();
  bool receive(octets& packet);
  void learn(const octets& connect);
  void remember(const octets& publish);

  std::shared_ptr<fault_orders> orders_;
  runtime::transport_ptr real_;
  runtime::clock& time_;
  runtime::transport_sink* sink_ = nullptr;
  octet_outbox out_{}; // what the peer encodes into
  octets outgoing_{};  // begins with a packet
  octets incoming_{};
  std::string client_id_{};
  protocol::version version_ = protocol::version::v5_0;

  std::optional<octets> stepped_back_{};                     // goes behind the next one of its type
  std::unordered_map<protocol::packet_id, octets> last_{};   // PUBLISH at QoS 2, until its PUBREL
  std::list<std::pair<runtime::time_point, octets>> late_{}; // by when they are due
  std::deque<protocol::octet> paced_{};
  std::size_t piece_ = 0; // 0: not paced
  std::chrono::milliseconds between_{0};
  std::optional<std::size_t> left_{}; // octets until the connection is cut
  protocol::packet_id invented_ = 0;  // the last id that no session knows
  bool is_piece_out_ = false;
  bool is_black_ = false;
  bool is_over_ = false;    // nothing more is written
  bool is_closing_ = false; // once everything is written
  bool is_end_said_ = false;
  runtime::deadline piece_due_{runtime::calls<&faulty_transport::on_piece_due>, *this};
  runtime::deadline delay_due_{runtime::calls<&faulty_transport::on_delay_due>, *this};
};

} // namespace troupe::brokerage
