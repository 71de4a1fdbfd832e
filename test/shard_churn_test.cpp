// shard: clients that come, take over, go and are forgotten, as many as a broker sees in a day; nothing stays.
#include "support/shard_rig.hpp"
#include "support/with_will.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <malloc.h>
#include <string>

namespace troupe {
namespace {

using namespace std::chrono_literals;
using protocol::packet_type;
using protocol::qos;
using test::rig_client;
using test::shard_rig;

constexpr brokerage::shard_number shards = 3;

/// As many rounds as the environment says: TROUPE_CHURN_ROUNDS=500000 is a million connections.
int rounds() {
  const char* const said = std::getenv("TROUPE_CHURN_ROUNDS");
  return said == nullptr ? 12'000 : std::atoi(said);
}

/// 0 under a sanitizer, which has an allocator of its own.
std::size_t octets_in_use() { return mallinfo2().uordblks; }

class churn {
public:
  /// Somebody comes and goes; another connection takes his session over, or begins a new one.
  void round(int number) {
    const std::string id = "client-" + std::to_string(number % 97);
    const auto expiry = static_cast<std::uint32_t>(number % 4);
    with_testament.will.retain = number % 5 == 0;
    rig_client first{rig, static_cast<std::size_t>(number) % shards};
    first.connect({.id = id, .clean = number % 3 == 0, .expiry = expiry, .will = with_testament.will});
    first.subscribe("t/" + std::to_string(number % 13), static_cast<qos>(number % 3));
    first.subscribe("$share/g/s/" + std::to_string(number % 7), qos::at_least_once);
    first.publish("t/" + std::to_string(number % 11), "x",
                  {.quality = static_cast<qos>(number % 3), .retain = number % 17 == 0});
    rig_client second{rig, static_cast<std::size_t>(number + number / 7) % shards};
    second.connect({.id = id, .clean = number % 2 == 0, .expiry = expiry});
    const bool is_resumed = number % 2 == 1; // and will take it
    if (is_resumed) second.publish("s/" + std::to_string(number % 7), "y", {.quality = qos::at_least_once});
    take(second);
    if (number % 3 == 0) second.unsubscribe("t/" + std::to_string(number % 13));
    if (number % 2 == 0) second.disconnect();
    if (number % 20 == 0) rig.advance(1s);
  }
  /// All sessions end, and the last words are cleared.
  void forget() {
    rig.advance(5s);
    {
      rig_client broom{rig};
      broom.connect({.id = "broom"});
      for (int each = 0; each < 11; ++each) broom.publish("t/" + std::to_string(each), "", {.retain = true});
      broom.publish("will", "", {.retain = true});
    }
    rig.advance(70s); // cleared topics are remembered for a while
  }
  void expect_nothing() {
    for (brokerage::shard_number each = 0; each < shards; ++each) {
      const brokerage::shard_counters& counts = rig.counts(each);
      EXPECT_EQ(counts.sessions.value(), 0U);
      EXPECT_EQ(counts.connections.value(), 0U);
      EXPECT_EQ(counts.subscriptions.value(), 0U);
      EXPECT_EQ(counts.messages_queued.value(), 0U);
      EXPECT_EQ(counts.retained_messages.value(), 0U);
      EXPECT_EQ(rig[each].sessions().size(), 0U);
      EXPECT_EQ(rig[each].names().size(), 0U);
      EXPECT_EQ(rig[each].next_deadline(), protocol::never);
      EXPECT_TRUE(rig[each].is_empty());
    }
  }
  std::uint64_t sum(brokerage::figure brokerage::shard_counters::*which) const {
    std::uint64_t all = 0;
    for (brokerage::shard_number each = 0; each < shards; ++each) all += (rig.counts(each).*which).value();
    return all;
  }

private:
  /// It takes everything that waits for it: what members of a group leave behind would pile up.
  static void take(rig_client& who) {
    for (bool is_more = true; is_more;) {
      is_more = false;
      for (const test::seen& one : who.hear()) {
        is_more = true;
        if (one.type == packet_type::publish && one.quality == qos::at_least_once)
          who.acknowledge(packet_type::puback, one.id);
        if (one.type == packet_type::publish && one.quality == qos::exactly_once)
          who.acknowledge(packet_type::pubrec, one.id);
        if (one.type == packet_type::pubrel) who.acknowledge(packet_type::pubcomp, one.id);
      }
    }
  }

  test::with_will with_testament{1};
  shard_rig rig{{}, shards};
};

TEST(shard_churn, leaves_no_session_and_no_memory_behind) {
  churn all;
  const auto day = [&all](int from, int to) {
    for (int number = from; number < to; ++number) all.round(number);
    all.forget();
    all.expect_nothing();
  };
  const int total = rounds();
  const int first = std::min(total, 3'000);
  day(0, first); // tables and pools have the size they need
  const std::size_t base = octets_in_use();
  const auto takeovers = all.sum(&brokerage::shard_counters::takeovers);
  day(first, first + total);
  EXPECT_LE(octets_in_use(), base + 65'536); // however many came
  EXPECT_GE(all.sum(&brokerage::shard_counters::connections_total), 2U * static_cast<unsigned>(total));
  EXPECT_GT(all.sum(&brokerage::shard_counters::takeovers), takeovers);
  EXPECT_GT(all.sum(&brokerage::shard_counters::wills_published), 0U);
}

} // namespace
} // namespace troupe
