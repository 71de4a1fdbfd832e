// engine_bench: W20, W21: the packet engine: what lies between a caller and the octets of a transport.
//
// W20: a whole client (door, session, connection, loopback transport) whose peer says CONNACK and then
// discards what comes, or keeps it in memory. Each send is awaited; the clock stops when the peer has got
// the last octet. W21: the actor connection over a loopback transport: 10,000 packets are put into the pipe,
// the engine cuts and decodes them, another actor takes them out of its mailbox. In `engine` the connection
// is made and disposed of within the time, in `stream` it stands.
#include "client_case.hpp"
#include "codec_case.hpp"

#include "../../actors/connection.hpp"
#include "../../protocol/connack.hpp"
#include "../../runtime/acceptor.hpp"
#include "../../runtime/house.hpp"
#include "../../runtime/loopback_transport.hpp"
#include "../../runtime/outlet.hpp"
#include "../../runtime/pause.hpp"

#include <cstring>

namespace troupe::bench {
namespace {

constexpr std::size_t packets = 10'000;

std::vector<octet> encoded(version v) {
  memory_outbox out;
  static_cast<void>(protocol::encode_publish(out, {.topic = "A"}, v));
  return {out.written().begin(), out.written().end()};
}

// -- W20 --------------------------------------------------------------------------------------------

/// A broker that knows one word. Lives on the client's home.
class dumb_peer final : public runtime::transport_sink {
public:
  dumb_peer(finish_line& line, version v, bool keeps) : line_{line}, version_{v}, keeps_{keeps} {
    memory_.resize(keeps ? packets * 8 : 0);
  }
  void take(runtime::transport_ptr came) {
    pipe_ = std::move(came);
    pipe_->start(*this);
  }
  void expect(std::size_t octets) noexcept {
    expected_ = octets;
    seen_ = 0;
  }
  void drop() { pipe_.reset(); }

private:
  void on_read(protocol::slice bytes) override {
    if (!std::exchange(has_greeted_, true)) {
      static_cast<void>(protocol::encode_connack(pipe_->out(), {}, version_));
      return pipe_->flush_later();
    }
    if (keeps_ && seen_ + bytes.size() <= memory_.size())
      std::memcpy(memory_.data() + seen_, bytes.bytes().data(), bytes.size());
    seen_ += bytes.size();
    if (seen_ == expected_) line_.reach();
  }
  void on_writable() override {}
  void on_closed(std::error_code) override {}

  finish_line& line_;
  version version_;
  bool keeps_;
  bool has_greeted_ = false;
  std::size_t seen_ = 0;
  std::size_t expected_ = 0;
  std::vector<octet> memory_;
  runtime::transport_ptr pipe_;
};

class sending_engine {
public:
  sending_engine(version v, bool keeps) : octets_{packets * encoded(v).size()}, peer_{arrived_, v, keeps} {
    const auto bound = listener_.listen(
        *runtime::parse_endpoint("loopback://engine"),
        [this](runtime::home&, runtime::transport_ptr came) { peer_.take(std::move(came)); });
    if (!bound) throw std::runtime_error{"listen: " + bound.error().message()};
    client_options options;
    options.broker = "loopback://engine";
    options.client_id = "engine";
    options.version = v;
    options.keep_alive = std::chrono::seconds{0};
    options.reconnect = false;
    user_.emplace(place_, options);
    await_connection(*user_);
  }
  ~sending_engine() {
    finish_line dropped;
    home_.post([&] {
      peer_.drop();
      dropped.reach();
    });
    dropped.wait();
  }
  void send_all() {
    home_.post([this] {
      peer_.expect(octets_);
      one_by_one();
    });
    awaited_.wait();
    if (awaited_.failure().empty()) arrived_.wait();
  }
  const finish_line& line() const noexcept { return awaited_; }

private:
  journey one_by_one() {
    for (std::size_t n = 0; n != packets; ++n) {
      const outcome how = co_await ended{
          [this](auto handler) { user_->publish("A", "", qos::at_most_once, std::move(handler)); }};
      if (!how.ok()) {
        awaited_.fail("publish: " + how.text());
        co_return;
      }
    }
    awaited_.reach();
  }

  std::size_t octets_;
  stage place_;
  runtime::home& home_ = place_.inside()[0];
  finish_line awaited_;
  finish_line arrived_;
  dumb_peer peer_;
  runtime::acceptor listener_{home_};
  std::optional<client> user_;
};

void send(benchmark::State& state, version v, bool keeps) {
  sending_engine engine{v, keeps};
  measure_elsewhere(
      state, packets, engine.line(), [&] { engine.send_all(); }, [] {});
}

// -- W21 --------------------------------------------------------------------------------------------

/// Takes batches out of its mailbox and counts the packets in them. The way down that a connection offers is
/// dropped, so that it holds nobody.
class packet_counter final : public runtime::resident {
public:
  packet_counter(caf::actor_config& config, runtime::place where, finish_line* line)
      : resident{config, where}, line_{*line}, box_{*this}, outlet_{box_} {}
  runtime::mailbox<actors::session_mail>& box() noexcept { return box_; }

private:
  bool on_bell() override {
    return outlet_.drain([this](actors::session_mail&& mail) {
      if (const auto* batch = std::get_if<actors::batch_ref>(&mail)) count((*batch)->packets.size());
    });
  }
  void on_stop() override { outlet_.close(); }
  void count(std::size_t more) {
    seen_ += more;
    if (seen_ < packets) return;
    seen_ = 0;
    line_.reach();
  }

  finish_line& line_;
  runtime::mailbox<actors::session_mail> box_;
  runtime::outlet<actors::session_mail> outlet_;
  std::size_t seen_ = 0;
};

/// The end that packets come from; hears nothing.
class silent_sink final : public runtime::transport_sink {
  void on_read(protocol::slice) override {}
  void on_writable() override {}
  void on_closed(std::error_code) override {}
};

class receiving_engine {
public:
  explicit receiving_engine(version v) : version_{v}, packet_{encoded(v)} {
    counter_ = place_.inside().spawn<packet_counter>(home_, &counted_);
  }
  ~receiving_engine() {
    dispose();
    counter_->stop_soon();
  }

  void make() {
    auto ends = runtime::make_loopback({home_}, {home_}, "loopback://engine");
    from_ = std::move(ends.first);
    from_->start(sink_);
    actors::connection_options options;
    options.version = version_;
    engine_ = place_.inside().spawn<actors::connection>(
        home_, options, std::move(ends.second), runtime::inlet<actors::session_mail>{counter_->box()});
    engine_->ring();
  }
  /// Packets back to back into the pipe.
  void fill() {
    for (std::size_t n = 0; n != packets; ++n) {
      octet* const to = from_->out().reserve(packet_.size());
      std::memcpy(to, packet_.data(), packet_.size());
      from_->out().commit(to + packet_.size());
    }
    from_->flush_later();
  }

  void receive_all(bool is_new) {
    home_.post([this, is_new] {
      if (is_new || !engine_) make();
      fill();
    });
    counted_.wait();
    if (is_new) dispose();
  }
  const finish_line& line() const noexcept { return counted_; }

private:
  /// Returns when the connection has been destroyed.
  void dispose() {
    finish_line dropped;
    home_.post([&] {
      if (engine_) std::exchange(engine_, {})->stop_soon();
      from_.reset();
      dropped.reach();
    });
    dropped.wait();
    while (place_.actors_alive() > 1) runtime::yield_thread();
  }

  version version_;
  std::vector<octet> packet_;
  finish_line counted_;
  silent_sink sink_;
  stage place_;
  runtime::home& home_ = place_.inside()[0];
  runtime::resident_ref<packet_counter> counter_;
  runtime::resident_ref<actors::connection> engine_;
  runtime::transport_ptr from_;
};

void receive(benchmark::State& state, version v, bool is_new) {
  receiving_engine engine{v};
  measure_elsewhere(
      state, packets, engine.line(), [&] { engine.receive_all(is_new); }, [] {});
}

const bool registered = [] {
  for (const version v : {version::v5_0, version::v3_1_1}) {
    const std::string end = std::string{"/"} + tag(v);
    register_case("W20/send/null_sink" + end, [v](benchmark::State& s) { send(s, v, false); });
    register_case("W20/send/memory" + end, [v](benchmark::State& s) { send(s, v, true); });
    register_case("W21/receive/engine" + end, [v](benchmark::State& s) { receive(s, v, true); });
    register_case("W21/receive/stream" + end, [v](benchmark::State& s) { receive(s, v, false); });
  }
  return true;
}();

} // namespace
} // namespace troupe::bench
