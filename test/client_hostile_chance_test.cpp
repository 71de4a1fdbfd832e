// A broker that does everything wrong by chance, and still gets each message once.
#include <troupe/actors/client.hpp>

#include "support/actors/kept_clients.hpp"
#include "support/seeded.hpp"

#include <atomic>
#include <map>
#include <set>
#include <string>

namespace {

using troupe::client;
using troupe::outcome;
using troupe::qos;
using namespace std::chrono_literals;

class hostile_brokers_by_chance : public support::kept_clients {};

/// Answers honestly in the end, and before that with whatever comes to mind.
class mad_broker final : public support::player {
public:
  explicit mad_broker(std::uint64_t seed) : chance_{seed} {}

  void on_packet(const std::shared_ptr<support::line_state>& link, support::octets packet) override {
    if (link->is_over) return;
    hear(*link, packet);
    if (rage_left_ == 0 || link->is_over) return;
    --rage_left_;
    rave(*link);
  }
  std::map<std::string, int> received; // payload -> times, of QoS 2; QoS 1 at least once

private:
  void say(support::line_state& link, std::string_view hex_text) {
    support::say_here(link, support::parse_hex(hex_text));
  }
  static std::string two(unsigned value) {
    char text[16];
    std::snprintf(text, sizeof text, "%02X %02X", (value >> 8U) & 0xFFU, value & 0xFFU);
    return text;
  }
  void hear(support::line_state& link, support::octets packet) {
    const auto id_at = [&packet](std::size_t at) { return unsigned{packet[at]} << 8U | packet[at + 1]; };
    switch (packet[0] >> 4U) {
    case 1:
      say(link, is_known_ ? "20 03 01 00 00" : "20 03 00 00 00");
      is_known_ = true;
      return;
    case 3: {
      const unsigned id = id_at(5);
      const std::string text{reinterpret_cast<const char*>(packet.data()) + 8, packet.size() - 8};
      const bool is_exact = (packet[0] & 0x06U) == 0x04;
      if (!is_exact) {
        ++received[text];
        return say(link, "40 02 " + two(id));
      }
      if (pending_.insert(id).second) ++received[text];
      return say(link, "50 02 " + two(id));
    }
    case 6: pending_.erase(id_at(2)); return say(link, "70 02 " + two(id_at(2)));
    default: return;
    }
  }
  void rave(support::line_state& link) {
    const std::string id = two(1 + chance_.below(8));
    switch (chance_.below(12)) {
    case 0: return say(link, "40 02 " + two(200)); // nobody's
    case 1: return say(link, "50 02 " + two(201));
    case 2: return say(link, "70 02 " + two(202));
    case 3: return say(link, "90 04 " + id + " 00 00"); // not asked for
    case 4: return say(link, "34 07 00 01 'a' " + id + " 00 'x'");
    case 5: return say(link, "62 02 " + id);
    case 6: return say(link, "E0 01 8B");
    case 7: return say(link, "30 0A 00 01 'a' 03 23 00 09 'xyz'"); // an alias we do not take
    case 8: return say(link, "F0 00");
    case 9: return say(link, "00 00"); // no packet at all
    default: return support::cut_here(link, std::make_error_code(std::errc::connection_reset));
    }
  }

  support::chance chance_;
  std::set<unsigned> pending_;
  bool is_known_ = false;
  int rage_left_ = 40;
};

TEST_P(hostile_brokers_by_chance,
       that_do_everything_wrong_by_chance_get_each_message_once_and_end_each_publish_once) {
  for (std::uint64_t seed = 0; seed != 200; ++seed) {
    network = std::make_shared<support::scripted_network>();
    mad_broker broker{seed};
    network->play(broker);
    client c{stage, resuming_at_once()};
    std::atomic<int> ended{0};
    std::atomic<int> failed{0};
    constexpr int count = 12;
    for (int n = 0; n != count; ++n)
      c.publish("t", std::to_string(n), n % 2 == 0 ? qos::at_least_once : qos::exactly_once,
                [&](outcome how) {
                  ++ended;
                  failed += how.ok() ? 0 : 1;
                });
    for (int turn = 0; turn != 200 && (time.settle(), ended != count); ++turn) time.advance(1ms);
    ASSERT_EQ(ended.load(), count) << "seed " << seed;
    ASSERT_EQ(failed.load(), 0) << "seed " << seed;
    ASSERT_EQ(broker.received.size(), std::size_t{count}) << "seed " << seed;
    for (const auto& [text, times] : broker.received)
      if (std::stoi(text) % 2 == 1) {
        ASSERT_EQ(times, 1) << text << " of seed " << seed;
      }
  }
}

INSTANTIATE_TEST_SUITE_P(on, hostile_brokers_by_chance, support::both_schedulers(), support::scheduler_name);

} // namespace
