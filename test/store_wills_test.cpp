// What becomes of the wills of a broker with a store when its process ends.
#include "support/store_test.hpp"
#include "support/with_will.hpp"

#include <gtest/gtest.h>

namespace troupe {
namespace {

using namespace std::chrono_literals;
using protocol::packet_type;
using protocol::qos;
using protocol::reason_code;
using test::rig_client;
using test::with_will;
using texts = std::vector<std::string>;

struct store_wills : test::store_test {
  /// Somebody who is away, and is to be told.
  void begin(brokerage::shard_number shards = 1) {
    records->set_wall(noon);
    start(shards);
    durable("watcher").subscribe("will");
    clients.clear();
  }
  rig_client& with(std::uint32_t delay, std::uint32_t expiry, std::size_t shard = 0) {
    with_will testament{delay};
    testament.will.quality = qos::at_least_once;
    rig_client& made = client(shard);
    made.connect({.id = "mortal", .clean = expiry == 0, .expiry = expiry, .will = testament.will});
    return made;
  }
  /// What came for the watcher up to now.
  texts heard(std::size_t shard = 0) {
    rig->settle();
    rig_client& watcher = durable("watcher", shard);
    const auto all = watcher.hear(packet_type::publish);
    texts said;
    for (const auto& one : all) {
      said.push_back(one.payload);
      watcher.acknowledge(packet_type::puback, one.id);
    }
    watcher.hang_up();
    return said;
  }
  /// The process ends, and the next one begins so much later.
  void pass(std::chrono::seconds away, brokerage::shard_number shards = 1) {
    crash();
    records->set_wall(noon += away);
    start(shards);
  }

  std::chrono::system_clock::time_point noon{std::chrono::hours{400'000}};
};

TEST_F(store_wills, of_the_connected_are_said_after_the_end_of_the_process) {
  for (const brokerage::shard_number shards : {1U, 3U})
    for (const std::uint32_t expiry : {0U, 60U}) {
      begin(shards);
      EXPECT_EQ(with(0, expiry, shards - 1).hear(packet_type::connack).size(), 1U);
      pass(10s, shards);
      rig->advance(100ms);
      EXPECT_EQ(heard(), texts{"gone"}) << shards << ' ' << expiry;
      pass(1s, shards); // and once only
      rig->advance(100ms);
      EXPECT_EQ(heard(), texts{}) << shards << ' ' << expiry;
      clients.clear();
      rig.reset();
      records = std::make_shared<runtime::memory_records>();
    }
}

TEST_F(store_wills, wait_for_their_delay_from_the_restart_on) { // nobody knows how long they were away
  begin();
  with(30, 60);
  pass(10s);
  rig->advance(29s);
  EXPECT_EQ(heard(), texts{});
  rig->advance(1100ms);
  EXPECT_EQ(heard(), texts{"gone"});
}

TEST_F(store_wills, that_wait_are_said_when_they_are_due) {
  begin();
  with(30, 60).hang_up();
  pass(20s);
  rig->advance(9s);
  EXPECT_EQ(heard(), texts{});
  rig->advance(1100ms);
  EXPECT_EQ(heard(), texts{"gone"});
}

TEST_F(store_wills, that_were_due_while_nobody_ran_are_said_at_once) {
  begin();
  with(30, 60).hang_up();
  pass(40s);
  rig->advance(100ms);
  EXPECT_EQ(heard(), texts{"gone"});
  pass(40s); // the session has ended meanwhile
  rig->advance(100ms);
  EXPECT_EQ(heard(), texts{});
}

TEST_F(store_wills, come_with_the_end_of_the_session_at_the_latest) {
  begin();
  with(100, 30).hang_up();
  pass(20s);
  rig->advance(11s);
  EXPECT_EQ(heard(), texts{"gone"});
}

TEST_F(store_wills, of_those_who_said_goodbye_are_forgotten) {
  for (const std::uint32_t expiry : {0U, 60U}) {
    begin();
    with(0, expiry).disconnect();
    pass(100s);
    rig->advance(100ms);
    EXPECT_EQ(heard(), texts{});
    clients.clear();
    rig.reset();
    records = std::make_shared<runtime::memory_records>();
  }
}

TEST_F(store_wills, of_those_who_came_back_are_forgotten) {
  begin();
  with(30, 60).hang_up();
  client().connect({.id = "mortal", .clean = false, .expiry = 60}); // without one
  pass(40s);
  rig->advance(100ms);
  EXPECT_EQ(heard(), texts{});
}

TEST_F(store_wills, that_were_said_are_not_said_again) {
  begin();
  with(0, 60).hang_up();
  with(0, 0).hang_up(); // a clean start; ends with its connection
  EXPECT_EQ(heard(), (texts{"gone", "gone"}));
  pass(10s);
  rig->advance(100ms);
  EXPECT_EQ(heard(), texts{});
}

TEST_F(store_wills, of_a_session_that_a_clean_start_ends_are_said_once) {
  begin();
  with(30, 60).hang_up();
  client().connect({.id = "mortal", .clean = true});
  EXPECT_EQ(heard(), texts{"gone"});
  pass(10s);
  rig->advance(60s);
  EXPECT_EQ(heard(), texts{});
}

/// However far writing down had come when the process ended.
TEST_F(store_wills, outlast_their_session_until_they_are_kept_where_they_go) {
  enum class end { taken_over, cleared_away, in_time };
  for (const brokerage::shard_number shards : {1U, 3U})
    for (const end how : {end::taken_over, end::cleared_away, end::in_time}) {
      bool is_all = false;
      for (int sets = 0; !is_all; ++sets) {
        begin(shards);
        rig_client& mortal = with(how == end::taken_over ? 0 : 100, 30, shards - 1);
        if (how != end::taken_over) mortal.hang_up();
        records->hold();
        if (how == end::in_time)
          rig->advance(31s);
        else
          client(shards - 1).connect({.id = "mortal", .clean = true});
        rig->settle();
        for (int each = 0; each < sets && !is_all; ++each) {
          is_all = records->commit(1) == 0;
          rig->settle();
        }
        pass(1s, shards);
        rig->advance(31s); // it may be due only now
        const texts said = heard();
        EXPECT_GE(said.size(), 1U) << shards << ' ' << static_cast<int>(how) << ' ' << sets;
        if (shards == 1) {
          EXPECT_EQ(said.size(), 1U) << static_cast<int>(how) << ' ' << sets;
        }
        clients.clear();
        rig.reset();
        records = std::make_shared<runtime::memory_records>();
      }
    }
}

TEST_F(store_wills, are_not_promised_before_they_are_kept) {
  begin();
  records->hold();
  rig_client& mortal = with(0, 0);
  EXPECT_EQ(mortal.hear(packet_type::connack).size(), 0U);
  records->hold(false);
  records->commit();
  rig->settle();
  EXPECT_EQ(mortal.hear(packet_type::connack).size(), 1U);
}

TEST_F(store_wills, become_retained_messages) {
  begin();
  with_will testament{0};
  testament.will.retain = true;
  client().connect({.id = "mortal", .will = testament.will});
  pass(1s);
  rig->advance(100ms);
  EXPECT_EQ(rig->counts().retained_messages.value(), 1U);
  EXPECT_EQ(rig->counts().wills_published.value(), 1U);
}

TEST_F(store_wills, leave_no_record_behind) {
  records->set_wall(noon);
  start();
  for (const std::uint32_t expiry : {0U, 1U})
    for (const bool is_lost : {false, true}) {
      rig_client& mortal = with(0, expiry);
      EXPECT_GT(records->size(), 0U);
      if (is_lost)
        mortal.hang_up();
      else
        mortal.disconnect();
      rig->advance(1100ms);
      EXPECT_EQ(records->size(), 0U) << expiry << is_lost;
    }
  with(0, 0);
  pass(1s);
  rig->advance(100ms);
  EXPECT_EQ(records->size(), 0U);
}

} // namespace
} // namespace troupe
