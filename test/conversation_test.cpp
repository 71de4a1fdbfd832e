// client_machine and server_machine against each other: real octets through real framers, one thread,
// seeded chance. The wire cuts anywhere, loses what was on its way, and comes back.
#include <troupe/protocol/client_machine.hpp>
#include <troupe/protocol/server_machine.hpp>

#include "support/script.hpp"
#include "support/seeded.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

using namespace troupe::protocol;
using namespace std::chrono_literals;
using support::bytes;

namespace {

struct terms {
  version protocol = version::v5_0;
  std::uint64_t seed = 1;
  std::uint16_t client_window = 65'535; // what the client takes
  std::uint16_t server_window = 65'535; // what the server takes
  bool aliases = false;
  bool defers = false;
  bool cancels = false;
  bool loses_sessions = false;
  std::uint32_t cut_one_in = 60; // 0 = never
  std::uint32_t messages = 120;  // each way
};

/// One direction of the wire.
struct pipe {
  bytes waiting;

  /// Takes up to `most` octets out, with slack behind them.
  std::pair<bytes, std::size_t> take(std::size_t most) {
    const std::size_t count = std::min(most, waiting.size());
    bytes out(count + read_slack);
    std::copy_n(waiting.begin(), count, out.begin());
    waiting.erase(waiting.begin(), waiting.begin() + static_cast<std::ptrdiff_t>(count));
    return {std::move(out), count};
  }
  void add(const bytes& more) { waiting.insert(waiting.end(), more.begin(), more.end()); }
};

/// What arrived on one side, by quality.
struct ledger {
  std::map<qos, std::vector<std::uint32_t>> numbers;

  void note(const publish& packet) {
    numbers[packet.quality].push_back(
        static_cast<std::uint32_t>(std::stoul(std::string{as_text(packet.payload)})));
    EXPECT_EQ(packet.topic, packet.quality == qos::at_most_once ? "quality/zero" : "quality/more");
  }
};

support::stored_publish numbered(std::uint32_t n, qos quality) {
  const std::string text = std::to_string(n);
  return {.topic = quality == qos::at_most_once ? "quality/zero" : "quality/more",
          .payload = {text.begin(), text.end()},
          .quality = quality};
}

class pair;

class client_side final : public client_host {
public:
  explicit client_side(pair& both) : both_{&both} {}
  outbox& out() override { return box; }
  void on_connected(const connack&) override { knows_session = true; }
  bool on_deliver(const publish& packet, delivery_tag tag) override;
  void on_complete(request_token token, const verdict& how) override;
  kept_publish recall(request_token token) override { return kept.at(token).kept(); }
  void on_auth(const auth&) override { ADD_FAILURE(); }
  void on_close(const closing& why) override { ADD_FAILURE() << why.error.message(); }

  support::memory_outbox box;
  std::map<request_token, support::stored_publish> kept;
  std::map<request_token, std::error_code> ends;
  std::vector<delivery_tag> unsettled;
  bool knows_session = false; // heard of the session's beginning
  ledger seen;

private:
  pair* both_;
};

class server_side final : public server_host {
public:
  explicit server_side(pair& both) : both_{&both} {}
  outbox& out() override { return box; }
  void on_connect(const connect& packet) override;
  publish_verdict on_publish(const publish& packet, octets whole, bool same_bytes) override;
  void on_subscribe(const subscribe&) override { ADD_FAILURE(); }
  void on_unsubscribe(const unsubscribe&) override { ADD_FAILURE(); }
  void on_delivered(request_token token) override { EXPECT_EQ(kept.erase(token), 1U) << "delivered twice"; }
  kept_publish recall(request_token token) override { return kept.at(token).kept(); }
  void on_auth(const auth&) override { ADD_FAILURE(); }
  void on_disconnect(const disconnect&) override { ADD_FAILURE(); }
  void on_close(const closing& why) override { ADD_FAILURE() << why.error.message(); }

  support::memory_outbox box;
  std::map<request_token, support::stored_publish> kept;
  std::deque<request_token> queue;
  std::vector<packet_id> unsettled;
  ledger seen;

private:
  pair* both_;
};

class pair {
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

  bool may_defer() { return how_.defers && chance_.one_in(3); }
  void accept(const connect&) {
    const bool lost = how_.loses_sessions && chance_.one_in(4);
    // A client that never heard of the loss would take the next session for the old one.
    const bool present = session_ != nullptr && !lost && on_client.knows_session;
    on_client.knows_session &= present;
    if (!present) session_ = std::make_unique<exchange>(role::server);
    if (!present) requeue_everything();
    server_->accept({.session_present = present}, *session_, now_);
  }

  client_side on_client{*this};
  server_side on_server{*this};

private:
  static client_machine_options client_options(const terms& how) {
    client_machine_options options;
    options.protocol = how.protocol;
    options.client_id = "c";
    options.clean_start = false;
    options.session_expiry = 1h;
    options.keep_alive = 0s;
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
    const auto quality = static_cast<qos>(chance_.below(3));
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
    const auto quality = static_cast<qos>(1 + chance_.below(2));
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
  support::chance chance_;
  time_point now_{};
  client_machine client_;
  std::unique_ptr<exchange> session_;
  std::optional<server_machine> server_; // over session_
  framer client_framer_;
  framer server_framer_;
  pipe to_server_;
  pipe to_client_;
  std::uint32_t published_ = 0;
  std::uint32_t queued_ = 0;
  bool moved_ = false;
};

bool client_side::on_deliver(const publish& packet, delivery_tag tag) {
  seen.note(packet);
  if (packet.quality == qos::at_most_once || !both_->may_defer()) return true;
  unsettled.push_back(tag);
  return false;
}

void client_side::on_complete(request_token token, const verdict& how) {
  EXPECT_TRUE(ends.emplace(token, how.error).second) << "ended twice: " << token;
}

void server_side::on_connect(const connect& packet) { both_->accept(packet); }

publish_verdict server_side::on_publish(const publish& packet, octets, bool) {
  seen.note(packet);
  if (packet.quality == qos::at_most_once || !both_->may_defer()) return {};
  // A server settles what it took before it forgets the connection; QoS 2 must not wait across one.
  if (packet.quality == qos::exactly_once) return {};
  unsettled.push_back(packet.id);
  return {.deferred = true};
}

class conversation : public testing::TestWithParam<version> {
protected:
  void rounds(terms how, std::uint64_t count) {
    how.protocol = GetParam();
    if (how.protocol == version::v3_1_1) how.aliases = false;
    for (std::uint64_t seed = 1; seed <= count; ++seed) {
      SCOPED_TRACE(seed);
      how.seed = seed;
      pair{how}.run();
      if (HasFailure()) return;
    }
  }
};

TEST_P(conversation, undisturbed) { rounds({.cut_one_in = 0}, 50); }

TEST_P(conversation, exactly_once_and_in_order_across_cuts_at_every_step) { rounds({}, 300); }

TEST_P(conversation, cuts_all_the_time) { rounds({.cut_one_in = 6}, 200); }

TEST_P(conversation, windows_of_one_are_never_exceeded) {
  rounds({.client_window = 1, .server_window = 1}, 200);
}

TEST_P(conversation, small_windows_and_deferred_answers_across_cuts) {
  rounds({.client_window = 3, .server_window = 2, .defers = true}, 300);
}

TEST_P(conversation, aliases_die_with_their_connection) {
  rounds({.client_window = 5, .server_window = 5, .aliases = true, .defers = true}, 200);
}

TEST_P(conversation, cancelling_disturbs_nobody_else) {
  rounds({.client_window = 3, .server_window = 3, .defers = true, .cancels = true}, 300);
}

TEST_P(conversation, lost_sessions_lose_no_message_and_wedge_nothing) {
  rounds({.client_window = 3, .server_window = 3, .aliases = true, .defers = true, .loses_sessions = true},
         300);
}

INSTANTIATE_TEST_SUITE_P(of_both_versions, conversation, testing::Values(version::v3_1_1, version::v5_0),
                         [](const auto& each) { return each.param == version::v5_0 ? "v5_0" : "v3_1_1"; });

} // namespace
