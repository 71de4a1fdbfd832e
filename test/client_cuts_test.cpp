// Connections cut at every moment, ten thousand times: what was said at QoS 2 arrives exactly once, both ways.
#include <troupe/actors/client.hpp>
#include <troupe/protocol/errc.hpp>

#include "support/actors/kept_clients.hpp"
#include "support/seeded.hpp"

#include <atomic>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace {

using support::line_state;
using support::octet;
using support::octets;
using troupe::client;
using troupe::message;
using troupe::outcome;
using troupe::qos;
using namespace std::chrono_literals;

/// A broker with one session that it never forgets, and connections that it cuts by chance: before it has
/// read a packet, after it has and before it answers, or behind its answer.
class cutting_broker final : public support::player {
public:
  cutting_broker(std::uint64_t seed, int most) : chance_{seed}, cuts_left_{most} {}

  void on_packet(const std::shared_ptr<line_state>& link, octets packet) override {
    if (link->is_over || is_cut(*link)) return;
    answers_.clear();
    hear(packet);
    if (is_cut(*link)) return;
    support::say_here(*link, answers_);
    static_cast<void>(is_cut(*link));
  }

  // After everything has settled.
  std::map<int, int> received; // number -> times
  int connections = 0;
  int resumed = 0;
  int handed_out = 0; // messages of ours
  int most_to_hand_out = 0;
  std::atomic<int> cuts{0}; // also read while they go on

private:
  struct outbound {
    int number;
    bool is_released;
  };

  bool is_cut(line_state& link) {
    if (cuts_left_ == 0 || !chance_.one_in(7)) return false;
    --cuts_left_;
    ++cuts;
    support::cut_here(link, std::make_error_code(std::errc::connection_reset));
    return true;
  }
  void say(std::initializer_list<unsigned> bytes) {
    for (const unsigned each : bytes) answers_.push_back(static_cast<octet>(each));
  }
  void say_publish(unsigned id, int number, bool is_again) {
    const std::string text = std::to_string(number);
    say({is_again ? 0x3CU : 0x34U, static_cast<unsigned>(7 + text.size()), 0, 2, 'i', 'n', id >> 8U,
         id & 0xFFU, 0});
    answers_.insert(answers_.end(), text.begin(), text.end());
  }
  static unsigned id_at(octets packet, std::size_t at) { return unsigned{packet[at]} << 8U | packet[at + 1]; }

  void hear(octets packet) {
    switch (packet[0] >> 4U) {
    case 1: return on_connect();
    case 3: return on_publish(packet);
    case 5: return on_pubrec(id_at(packet, 2));
    case 6: pending_.erase(id_at(packet, 2)); return say({0x70, 2, packet[2], packet[3]});
    case 7: outbound_.erase(id_at(packet, 2)); return hand_out();
    case 8: say({0x90, 4, packet[2], packet[3], 0, 2}); return hand_out();
    default: return;
    }
  }
  void on_connect() {
    say({0x20, 3, connections == 0 ? 0U : 1U, 0, 0});
    resumed += connections++ == 0 ? 0 : 1;
    for (const auto& [id, each] : outbound_) {
      if (each.is_released)
        say({0x62, 2, id >> 8U, id & 0xFFU});
      else
        say_publish(id, each.number, true);
    }
  }
  void on_publish(octets packet) {
    const unsigned id = id_at(packet, 5); // topic of one octet
    if (pending_.insert(id).second) {
      const std::string text{reinterpret_cast<const char*>(packet.data()) + 8, packet.size() - 8};
      ++received[std::stoi(text)];
    }
    say({0x50, 2, id >> 8U, id & 0xFFU});
  }
  void on_pubrec(unsigned id) {
    const auto found = outbound_.find(id);
    if (found == outbound_.end()) return say({0x62, 3, id >> 8U, id & 0xFFU, 0x92});
    found->second.is_released = true;
    say({0x62, 2, id >> 8U, id & 0xFFU});
  }
  void hand_out() {
    while (outbound_.size() < 3 && handed_out != most_to_hand_out) {
      next_id_ = next_id_ == 5 ? 1 : next_id_ + 1; // ids come round soon
      if (outbound_.contains(next_id_)) continue;
      outbound_[next_id_] = {handed_out, false};
      say_publish(next_id_, handed_out++, false);
    }
  }

  support::chance chance_;
  int cuts_left_;
  std::vector<octet> answers_;
  std::set<unsigned> pending_;            // ids whose PUBREL has not come
  std::map<unsigned, outbound> outbound_; // in the order of their ids
  unsigned next_id_ = 0;
};

class cuts : public support::kept_clients {
protected:
  static constexpr int wanted_cuts = 10'000;
  static constexpr int at_once = 4;

  /// The next publish when one has ended, as long as the broker still cuts.
  void publish_next(client& c, const cutting_broker& broker) {
    if (broker.cuts == wanted_cuts) return;
    const std::string text = std::to_string(published_++);
    c.publish("t", text, qos::exactly_once, [&](outcome how) {
      ++ended_;
      if (!how.ok()) ++failed_;
      publish_next(c, broker);
    });
  }

  // By whoever publishes and by those who are answered.
  std::atomic<int> published_{0};
  std::atomic<int> ended_{0};
  std::atomic<int> failed_{0};
};

TEST_P(cuts, ten_thousand_leave_every_message_of_qos_2_delivered_exactly_once) {
  cutting_broker broker{2026, wanted_cuts};
  broker.most_to_hand_out = 4'000;
  network->play(broker);
  std::map<int, int> seen;
  client c{stage, resuming_at_once()};
  auto mine = c.subscribe("in", qos::exactly_once,
                          [&](const message& m) { ++seen[std::stoi(std::string{m.text()})]; });
  for (int n = 0; n != at_once; ++n) publish_next(c, broker);
  for (int turn = 0; turn != 100 && (time.settle(), broker.cuts != wanted_cuts || ended_ != published_);
       ++turn)
    time.advance(1ms);
  EXPECT_EQ(broker.cuts.load(), wanted_cuts);
  EXPECT_EQ(ended_.load(), published_.load()) << "every publish ended once";
  EXPECT_EQ(failed_.load(), 0);
  EXPECT_EQ(broker.received.size(), static_cast<std::size_t>(published_.load()));
  for (const auto& [number, times] : broker.received) EXPECT_EQ(times, 1) << number;
  EXPECT_EQ(broker.handed_out, broker.most_to_hand_out);
  EXPECT_EQ(seen.size(), static_cast<std::size_t>(broker.most_to_hand_out));
  for (const auto& [number, times] : seen) EXPECT_EQ(times, 1) << number;
  EXPECT_GT(broker.resumed, wanted_cuts / 2);
  EXPECT_EQ(c.state(), troupe::client_state::connected);
}

INSTANTIATE_TEST_SUITE_P(on, cuts, support::both_schedulers(), support::scheduler_name);

} // namespace
