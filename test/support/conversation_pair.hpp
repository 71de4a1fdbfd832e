// conversation_pair: client_machine and server_machine against each other, through real framers, in one
// thread, by seeded chance. The wire cuts anywhere, loses what was on its way, and comes back.
//
// Lives here: terms (what may happen), pair (runs it and checks what came of it).
#pragma once

#include "conversation_sides.hpp"
#include "seeded.hpp"

#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <set>
#include <utility>

namespace troupe::protocol::talk {

struct terms {
  version protocol = version::v5_0;
  std::uint64_t seed = 1;
  std::uint16_t client_window = 65'535; // what the client takes
  std::uint16_t server_window = 65'535; // what the server takes
  bool aliases = false;
  bool defers = false;
  bool cancels = false;
  bool loses_sessions = false;
  bool exact_only = false;       // every message is at QoS 2
  std::uint32_t cut_one_in = 60; // 0 = never
  std::uint32_t messages = 120;  // each way
};

/// One direction of the wire.
struct pipe {
  ::support::bytes waiting;

  /// Takes up to `most` octets out, with slack behind them.
  std::pair<::support::bytes, std::size_t> take(std::size_t most) {
    const std::size_t count = std::min(most, waiting.size());
    ::support::bytes out(count + read_slack);
    std::copy_n(waiting.begin(), count, out.begin());
    waiting.erase(waiting.begin(), waiting.begin() + static_cast<std::ptrdiff_t>(count));
    return {std::move(out), count};
  }
  void add(const ::support::bytes& more) { waiting.insert(waiting.end(), more.begin(), more.end()); }
};

class pair final : referee {
public:
  explicit pair(const terms& how) : how_{how}, chance_{how.seed}, client_{client_options(how), on_client} {}

  void run() {
    while (published_ < how_.messages || queued_ < how_.messages) step();
    how_.cut_one_in = 0;
    for (int quiet = 0; quiet < 3; quiet = moved_ ? 0 : quiet + 1) {
      moved_ = false;
      ensure_connected();
      settle_all();
      flow(1'000'000);
    }
    check();
  }

  bool may_defer() override { return how_.defers && chance_.one_in(3); }
  void accept() override {
    const bool lost = how_.loses_sessions && chance_.one_in(4);
    // A client that never heard of the loss would take the next session for the old one.
    const bool present = session_ != nullptr && !lost && on_client.knows_session;
    on_client.knows_session &= present;
    if (!present) session_ = std::make_unique<exchange>(role::server);
    if (!present) requeue_everything();
    server_->accept({.session_present = present}, *session_, now_);
  }

  /// Connections that were cut so far.
  std::uint64_t cuts() const noexcept { return cuts_; }

  client_side on_client{*this};
  server_side on_server{*this};

private:
  static client_machine_options client_options(const terms& how) {
    client_machine_options options;
    options.protocol = how.protocol;
    options.client_id = "c";
    options.clean_start = false;
    options.session_expiry = std::chrono::hours{1};
    options.keep_alive = std::chrono::seconds{0};
    options.receive_maximum = how.client_window;
    options.topic_alias_maximum = how.aliases ? 1 : 0;
    options.outbound_topic_aliases = how.aliases ? 2 : 0;
    return options;
  }
  server_machine_options server_options() const {
    server_machine_options options;
    options.receive_maximum = how_.server_window;
    options.topic_alias_maximum = how_.aliases ? 2 : 0;
    options.outbound_topic_aliases = how_.aliases ? 1 : 0;
    return options;
  }

  void step() {
    ensure_connected();
    switch (chance_.below(8)) {
    case 0: publish_one(); break;
    case 1: deliver_one(); break;
    case 2: settle_one(); break;
    default: flow(1 + chance_.below(40));
    }
    if (how_.cancels && chance_.one_in(20)) cancel_one();
    if (how_.cut_one_in != 0 && chance_.one_in(how_.cut_one_in)) cut();
  }

  void ensure_connected() {
    if (server_) return;
    to_server_ = pipe{};
    to_client_ = pipe{};
    server_framer_ = framer{};
    client_framer_ = framer{};
    server_framer_.set_version(how_.protocol);
    client_framer_.set_version(how_.protocol);
    server_.emplace(server_options(), on_server, now_);
    client_.transport_up(now_);
    moved_ = true;
  }

  void cut() {
    ++cuts_;
    // Either end may notice first; what one end wrote last may still arrive at the other.
    collect();
    if (chance_.one_in(2)) feed_server(chance_.below(200));
    if (chance_.one_in(2)) feed_client(chance_.below(200));
    client_.transport_down(now_);
    server_->transport_down(now_);
    server_.reset();
    on_client.box.take();
    on_server.box.take();
    on_server.unsettled.clear();
  }

  void publish_one() {
    if (published_ == how_.messages) return;
    const auto quality = how_.exact_only ? qos::exactly_once : static_cast<qos>(chance_.below(3));
    const request_token token = ++published_;
    on_client.kept[token] = numbered(published_, quality);
    EXPECT_TRUE(client_.publish(token, on_client.kept[token].kept(), now_));
  }
  void cancel_one() {
    const request_token token = 1 + chance_.below(published_ + 1);
    client_.cancel(token);
  }
  void deliver_one() {
    if (queued_ == how_.messages) return;
    const auto quality = how_.exact_only ? qos::exactly_once : static_cast<qos>(1 + chance_.below(2));
    const request_token token = ++queued_;
    on_server.kept[token] = numbered(queued_, quality);
    on_server.queue.push_back(token);
  }
  /// A server that lost the session may send everything not acknowledged again.
  void requeue_everything() {
    on_server.queue.clear();
    for (const auto& [token, message] : on_server.kept) on_server.queue.push_back(token);
  }
  void settle_one() {
    if (!on_client.unsettled.empty()) {
      const auto at =
          on_client.unsettled.begin() + chance_.below(static_cast<std::uint32_t>(on_client.unsettled.size()));
      client_.settle(*at, reason_code::success, now_);
      on_client.unsettled.erase(at);
    }
    if (server_ && !on_server.unsettled.empty()) {
      const auto at =
          on_server.unsettled.begin() + chance_.below(static_cast<std::uint32_t>(on_server.unsettled.size()));
      server_->acknowledge(*at, reason_code::success, now_);
      on_server.unsettled.erase(at);
    }
  }
  void settle_all() {
    while (!on_client.unsettled.empty() || !on_server.unsettled.empty()) {
      settle_one();
      moved_ = true;
    }
  }

  void collect() {
    to_server_.add(on_client.box.take());
    to_client_.add(on_server.box.take());
  }
  void flow(std::size_t most) {
    while (server_ && server_->is_connected() && !on_server.queue.empty()) {
      const request_token token = on_server.queue.front();
      if (server_->deliver(token, on_server.kept.at(token).kept(), now_) == server_machine::sent::window_full)
        break;
      on_server.queue.pop_front();
    }
    collect();
    feed_server(most);
    feed_client(most);
  }
  void feed_server(std::size_t most) { feed(to_server_, server_framer_, *server_, role::server, most); }
  void feed_client(std::size_t most) { feed(to_client_, client_framer_, client_, role::client, most); }

  template <class Machine>
  void feed(pipe& from, framer& frames, Machine& machine, role receiver, std::size_t most) {
    const auto [input, size] = from.take(most);
    moved_ |= size != 0;
    frames.feed({input.data(), size});
    for (;;) {
      const result<frame> next = frames.next();
      if (!next) {
        ASSERT_EQ(next.error(), errc::need_more);
        return;
      }
      const result<inbound_packet> packet = decode_packet(*next, how_.protocol, receiver);
      ASSERT_TRUE(packet) << packet.error().message();
      ASSERT_TRUE(machine.on_packet(*packet, now_));
    }
  }

  void check() {
    EXPECT_EQ(client_.inflight(), 0U);
    EXPECT_EQ(client_.parked(), 0U);
    EXPECT_TRUE(on_server.kept.empty());
    EXPECT_EQ(session_->sent().ids_in_use(), 0U);
    EXPECT_EQ(session_->owed().used(), 0U);
    ASSERT_EQ(on_client.ends.size(), how_.messages);
    std::map<qos, std::vector<std::uint32_t>> sent;
    for (std::uint32_t n = 1; n <= how_.messages; ++n) {
      const std::error_code error = on_client.ends.at(n);
      const qos quality = on_client.kept.at(n).quality;
      if (error == errc::cancelled) continue;
      EXPECT_FALSE(error) << error.message();
      sent[quality].push_back(n);
    }
    check_direction(sent, on_server.seen, "to server");
    std::map<qos, std::vector<std::uint32_t>> delivered;
    for (std::uint32_t n = 1; n <= how_.messages; ++n) delivered[quality_of_delivery(n)].push_back(n);
    check_direction(delivered, on_client.seen, "to client");
  }
  // Deliveries are forgotten when acknowledged, so the quality is read from what was seen.
  qos quality_of_delivery(std::uint32_t n) {
    const auto& twos = on_client.seen.numbers[qos::exactly_once];
    return std::find(twos.begin(), twos.end(), n) != twos.end() ? qos::exactly_once : qos::at_least_once;
  }

  void check_direction(const std::map<qos, std::vector<std::uint32_t>>& sent, ledger& seen,
                       const char* direction) {
    SCOPED_TRACE(direction);
    const auto find = [&](qos q) {
      const auto at = sent.find(q);
      return at == sent.end() ? std::vector<std::uint32_t>{} : at->second;
    };
    const auto firsts = [](const std::vector<std::uint32_t>& all) {
      std::vector<std::uint32_t> out;
      std::set<std::uint32_t> known;
      for (const std::uint32_t n : all) {
        if (known.insert(n).second) out.push_back(n);
      }
      return out;
    };
    for (const qos q : {qos::at_most_once, qos::at_least_once, qos::exactly_once}) {
      SCOPED_TRACE(static_cast<int>(q));
      const std::vector<std::uint32_t>& all = seen.numbers[q];
      const std::vector<std::uint32_t> first = firsts(all);
      EXPECT_TRUE(std::is_sorted(first.begin(), first.end())) << "order";
      if (q == qos::at_most_once || (q == qos::exactly_once && !how_.loses_sessions)) {
        EXPECT_EQ(first, all) << "seen twice";
      }
      if (q == qos::at_most_once) continue;
      const std::vector<std::uint32_t> wanted = find(q);
      EXPECT_TRUE(std::includes(first.begin(), first.end(), wanted.begin(), wanted.end())) << "lost";
    }
  }

  terms how_;
  ::support::chance chance_;
  time_point now_{};
  client_machine client_;
  std::unique_ptr<exchange> session_;
  std::optional<server_machine> server_; // over session_
  framer client_framer_;
  framer server_framer_;
  pipe to_server_;
  pipe to_client_;
  std::uint64_t cuts_ = 0;
  std::uint32_t published_ = 0;
  std::uint32_t queued_ = 0;
  bool moved_ = false;
};

} // namespace troupe::protocol::talk
