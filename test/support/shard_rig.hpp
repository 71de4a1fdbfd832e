// shard_rig: shards of a broker without actors, sockets or clock, and scripted clients for them.
//
// Lives here: rig_pipe (a transport in memory), shard_rig (shards, time, mail between them), rig_client
//          (speaks raw packets).
// Holds:   everything happens when the test says so, in one thread. Mail between shards waits until
//          settle(), or is handed over one by one.
#pragma once

#include <troupe/broker/shard.hpp>

#include <troupe/protocol/connack.hpp>
#include <troupe/protocol/connect.hpp>
#include <troupe/protocol/disconnect.hpp>
#include <troupe/protocol/packet.hpp>
#include <troupe/protocol/subscribe.hpp>
#include <troupe/protocol/unsubscribe.hpp>
#include <troupe/runtime/slab_outbox.hpp>

#include <chrono>
#include <cstring>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace troupe::test {

using namespace std::chrono_literals;

/// A transport whose other end is the test.
class rig_pipe final : public runtime::transport {
public:
  explicit rig_pipe(runtime::slab_pool& slabs) : out_{slabs} {}

  void start(runtime::transport_sink& sink) override { sink_ = &sink; }
  protocol::outbox& out() override { return out_; }
  void flush_later() override { is_flushed = true; }
  std::size_t backlog() const noexcept override { return out_.size(); }
  bool is_congested() const noexcept override { return out_.size() > high_mark; }
  void pause() override { is_paused = true; }
  void resume() override { is_paused = false; }
  void close() override { is_closed = true; }
  void abort() override { is_closed = true; }
  std::string peer_name() const override { return "rig"; }

  /// What was written, taken away as a reader would.
  std::vector<protocol::octet> take() {
    std::vector<runtime::outbox_segment> segments;
    out_.move_to(segments, out_.size());
    std::vector<protocol::octet> all;
    for (const auto& one : segments) all.insert(all.end(), one.bytes.begin(), one.bytes.end());
    return all;
  }
  runtime::transport_sink* sink() const noexcept { return sink_; }

  std::size_t high_mark = std::size_t{512} << 10U;
  bool is_flushed = false;
  bool is_paused = false;
  bool is_closed = false;

private:
  runtime::slab_outbox out_;
  runtime::transport_sink* sink_ = nullptr;
};

class shard_rig {
public:
  explicit shard_rig(broker_options options = {}, brokerage::shard_number shards = 1)
      : options_{std::move(options)}, counts_{std::make_unique<brokerage::shard_counters[]>(shards)} {
    for (brokerage::shard_number each = 0; each < shards; ++each) {
      hosts_.push_back(std::make_unique<host>(*this));
      shards_.push_back(
          std::make_unique<brokerage::shard>(each, shards, options_, counts_[each], *hosts_.back()));
    }
  }
  ~shard_rig() {
    for (auto& one : shards_) one->turn();
    shards_.clear();
  }

  brokerage::shard& operator[](std::size_t each) { return *shards_[each]; }
  const brokerage::shard_counters& counts(std::size_t each = 0) const { return counts_[each]; }
  runtime::slab_pool& slabs() { return slabs_; }
  std::size_t mail() const { return mail_.size(); }

  /// Hands over one piece of mail; false when there is none.
  bool step() {
    if (mail_.empty()) return false;
    auto [to, what] = std::move(mail_.front());
    mail_.pop_front();
    shards_[to]->on_mail(std::move(what));
    return true;
  }
  /// Until nothing is left to do.
  void settle() {
    bool goes_on = true;
    while (goes_on) {
      goes_on = step();
      for (std::size_t each = 0; each < shards_.size(); ++each) {
        if (!std::exchange(hosts_[each]->is_called, false)) continue;
        shards_[each]->turn();
        goes_on = true;
      }
    }
  }
  /// Lets time pass in steps, so that deadlines fire in order.
  void advance(std::chrono::milliseconds by) {
    for (; by.count() > 0; by -= 100ms) {
      now_ += 100ms;
      for (auto& one : shards_) one->turn();
      settle();
    }
  }
  protocol::time_point now() const { return now_; }

private:
  struct host final : brokerage::shard_host {
    explicit host(shard_rig& of) : rig{of} {}
    void post(brokerage::shard_number to, brokerage::shard_mail&& what) override {
      rig.mail_.emplace_back(to, std::move(what));
    }
    bool is_crowded() const noexcept override { return false; }
    void call_again() noexcept override { is_called = true; }
    void on_event_end(protocol::time_point) override {}
    protocol::time_point now() noexcept override { return rig.now_; }

    shard_rig& rig;
    bool is_called = false;
  };

  broker_options options_;
  std::unique_ptr<brokerage::shard_counters[]> counts_;
  runtime::slab_pool slabs_{};
  protocol::time_point now_{1h};
  std::deque<std::pair<brokerage::shard_number, brokerage::shard_mail>> mail_{};
  std::vector<std::unique_ptr<host>> hosts_{};
  std::vector<std::unique_ptr<brokerage::shard>> shards_{};
};

/// A packet as a client sees it, owned.
struct seen {
  protocol::packet_type type{};
  std::string topic{};
  std::string payload{};
  protocol::qos quality{};
  bool retain = false;
  bool dup = false;
  protocol::packet_id id = 0;
  protocol::reason_code reason{};
  bool session_present = false;
  std::vector<protocol::reason_code> codes{};
  std::vector<std::uint32_t> identifiers{};
  std::optional<std::uint32_t> expiry{};
  std::string assigned_id{};
};

struct connect_options {
  protocol::version version = protocol::version::v5_0;
  std::string id = "client";
  bool clean = true;
  std::uint16_t keep_alive = 0;
  std::uint32_t expiry = 0; // 5.0
  std::optional<protocol::will_view> will{};
  std::uint16_t receive_maximum = 0;     // 5.0; 0 = not said
  std::uint32_t maximum_packet_size = 0; // 5.0; 0 = not said
};

struct publish_options {
  protocol::qos quality = protocol::qos::at_most_once;
  bool retain = false;
  bool dup = false;
  protocol::packet_id id = 1;
  std::uint16_t alias = 0;
  std::uint32_t expiry = 0;
};

class rig_client {
public:
  explicit rig_client(shard_rig& rig, std::size_t shard = 0) : rig_{rig} {
    auto pipe = std::make_unique<rig_pipe>(rig.slabs());
    pipe_ = pipe.get();
    rig[shard].adopt(std::move(pipe));
    sink_ = pipe_->sink();
  }
  ~rig_client() { hang_up(); }
  rig_client(const rig_client&) = delete;
  rig_client& operator=(const rig_client&) = delete;

  rig_pipe& pipe() { return *pipe_; }

  /// For clients that write their CONNECT by hand.
  void speak(protocol::version version) { version_ = version; }

  // -- what the client sends --------------------------------------------------
  void send(const std::vector<protocol::octet>& bytes) {
    if (bytes.empty() || pipe_ == nullptr) return;
    runtime::slab* const slab = rig_.slabs().take(bytes.size());
    std::memcpy(slab->data(), bytes.data(), bytes.size());
    sink_->on_read({{slab->data(), bytes.size()}, protocol::keeper_ref::adopt(slab)});
    rig_.settle();
    reap();
  }
  template <class F>
  void send_with(F encode) {
    runtime::slab_outbox out{rig_.slabs()};
    encode(out);
    std::vector<runtime::outbox_segment> segments;
    out.move_to(segments, out.size());
    std::vector<protocol::octet> all;
    for (const auto& one : segments) all.insert(all.end(), one.bytes.begin(), one.bytes.end());
    send(all);
  }
  void connect(const connect_options& how = {}) {
    version_ = how.version;
    protocol::property_block block;
    if (how.expiry != 0) (void)block.set(protocol::property::session_expiry_interval, how.expiry);
    if (how.receive_maximum != 0) (void)block.set(protocol::property::receive_maximum, how.receive_maximum);
    if (how.maximum_packet_size != 0)
      (void)block.set(protocol::property::maximum_packet_size, how.maximum_packet_size);
    protocol::connect packet{.protocol = how.version,
                             .clean_start = how.clean,
                             .keep_alive = how.keep_alive,
                             .client_id = how.id,
                             .will = how.will};
    if (how.version == protocol::version::v5_0) packet.properties = block.view();
    send_with([&](protocol::outbox& out) { (void)protocol::encode_connect(out, packet); });
  }
  void subscribe(const std::vector<protocol::subscription>& lines, std::uint32_t identifier = 0,
                 protocol::packet_id id = 10) {
    protocol::property_block block;
    if (identifier != 0) (void)block.add_subscription_identifier(identifier);
    send_with([&](protocol::outbox& out) {
      (void)protocol::encode_subscribe(out, id, lines, block.view(), version_);
    });
  }
  void subscribe(std::string_view filter, protocol::qos quality = protocol::qos::exactly_once,
                 std::uint32_t identifier = 0) {
    subscribe({{.filter = filter, .quality = quality}}, identifier);
  }
  void unsubscribe(std::string_view filter, protocol::packet_id id = 11) {
    send_with([&](protocol::outbox& out) {
      (void)protocol::encode_unsubscribe(out, id, std::span{&filter, 1}, {}, version_);
    });
  }
  std::vector<protocol::octet> publish_bytes(std::string_view topic, std::string_view payload,
                                             const publish_options& how = {}) {
    protocol::property_block block;
    if (how.expiry != 0) (void)block.set(protocol::property::message_expiry_interval, how.expiry);
    protocol::publish packet{.topic = topic,
                             .payload = protocol::as_octets(payload),
                             .topic_alias = how.alias,
                             .quality = how.quality,
                             .retain = how.retain,
                             .dup = how.dup};
    if (version_ == protocol::version::v5_0) packet.properties = block.view();
    if (how.quality != protocol::qos::at_most_once) packet.id = how.id;
    runtime::slab_outbox out{rig_.slabs()};
    (void)protocol::encode_publish(out, packet, version_);
    std::vector<runtime::outbox_segment> segments;
    out.move_to(segments, out.size());
    std::vector<protocol::octet> all;
    for (const auto& one : segments) all.insert(all.end(), one.bytes.begin(), one.bytes.end());
    return all;
  }
  void publish(std::string_view topic, std::string_view payload, const publish_options& how = {}) {
    send(publish_bytes(topic, payload, how));
  }
  void acknowledge(protocol::packet_type type, protocol::packet_id id) {
    send_with(
        [&](protocol::outbox& out) { (void)protocol::encode_ack(out, {.type = type, .id = id}, version_); });
  }
  void disconnect(protocol::reason_code reason = protocol::reason_code::success,
                  std::optional<std::uint32_t> expiry = {}) {
    protocol::property_block block;
    if (expiry) (void)block.set(protocol::property::session_expiry_interval, *expiry);
    send_with([&](protocol::outbox& out) {
      (void)protocol::encode_disconnect(out, {.reason = reason, .properties = block.view()}, version_,
                                        protocol::role::client);
    });
  }
  /// The connection is lost, as the broker's transport sees it.
  void hang_up() {
    if (pipe_ == nullptr) return;
    (void)pipe_->take();
    pipe_ = nullptr;
    sink_->on_closed({});
    rig_.settle();
  }

  // -- what the client hears --------------------------------------------------
  /// All packets that came since the last call.
  std::vector<seen> hear() {
    std::vector<protocol::octet> bytes = std::exchange(last_words_, {});
    if (pipe_ != nullptr) {
      const auto more = pipe_->take();
      bytes.insert(bytes.end(), more.begin(), more.end());
      sink_->on_writable();
      rig_.settle();
      if (pipe_->backlog() != 0) {
        std::vector<seen> first = decode(std::move(bytes));
        for (seen& one : hear()) first.push_back(std::move(one));
        return first;
      }
    }
    return decode(std::move(bytes));
  }
  /// What was heard of one type.
  std::vector<seen> hear(protocol::packet_type type) {
    std::vector<seen> all = hear();
    std::erase_if(all, [&](const seen& one) { return one.type != type; });
    return all;
  }
  std::vector<std::string> payloads() {
    std::vector<std::string> all;
    for (const seen& one : hear(protocol::packet_type::publish)) all.push_back(one.payload);
    return all;
  }
  bool is_closed() { return pipe_ == nullptr || pipe_->is_closed; }
  /// Lets the broker see that its close() went through, keeping what was written last.
  void reap() {
    if (pipe_ == nullptr || !pipe_->is_closed) return;
    const auto more = pipe_->take();
    last_words_.insert(last_words_.end(), more.begin(), more.end());
    pipe_ = nullptr;
    sink_->on_closed({});
    rig_.settle();
  }

private:
  std::vector<seen> decode(std::vector<protocol::octet> bytes) {
    const std::size_t size = bytes.size();
    bytes.resize(size + protocol::read_slack);
    protocol::framer frames;
    frames.set_version(version_);
    frames.feed({bytes.data(), size});
    std::vector<seen> all;
    for (auto next = frames.next(); next; next = frames.next()) all.push_back(look(*next));
    return all;
  }
  seen look(const protocol::frame& f) {
    seen one{.type = f.type()};
    switch (f.type()) {
    case protocol::packet_type::publish: {
      const auto p = protocol::decode_publish(f.first, f.body, version_, protocol::role::client);
      if (!p) break;
      one.topic = p->topic;
      one.payload = protocol::as_text(p->payload);
      one.quality = p->quality;
      one.retain = p->retain;
      one.dup = p->dup;
      one.id = p->id;
      p->properties.for_each_subscription_identifier(
          [&](std::uint32_t id) { one.identifiers.push_back(id); });
      one.expiry = p->properties.number(protocol::property::message_expiry_interval);
      break;
    }
    case protocol::packet_type::connack: {
      const auto p = protocol::decode_connack(f.first, f.body, version_);
      if (!p) break;
      one.reason = p->reason;
      one.session_present = p->session_present;
      one.assigned_id = p->properties.text(protocol::property::assigned_client_identifier).value_or("");
      break;
    }
    case protocol::packet_type::suback: {
      const auto p = protocol::decode_suback(f.first, f.body, version_);
      if (!p) break;
      one.id = p->id;
      one.codes.assign(p->codes.begin(), p->codes.end());
      break;
    }
    case protocol::packet_type::unsuback: {
      const auto p = protocol::decode_unsuback(f.first, f.body, version_);
      if (!p) break;
      one.id = p->id;
      one.codes.assign(p->codes.begin(), p->codes.end());
      break;
    }
    case protocol::packet_type::disconnect: {
      const auto p = protocol::decode_disconnect(f.first, f.body, version_, protocol::role::client);
      if (p) one.reason = p->reason;
      break;
    }
    case protocol::packet_type::puback:
    case protocol::packet_type::pubrec:
    case protocol::packet_type::pubrel:
    case protocol::packet_type::pubcomp: {
      const auto p = protocol::decode_ack(f.first, f.body, version_);
      if (!p) break;
      one.id = p->id;
      one.reason = p->reason;
      break;
    }
    default: break;
    }
    return one;
  }

  shard_rig& rig_;
  rig_pipe* pipe_ = nullptr;
  runtime::transport_sink* sink_ = nullptr;
  protocol::version version_ = protocol::version::v5_0;
  std::vector<protocol::octet> last_words_{};
};

} // namespace troupe::test
