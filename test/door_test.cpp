#include <troupe/actors/door.hpp>
#include <troupe/protocol/errc.hpp>

#include "support/wire.hpp"

#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <vector>

namespace {

using namespace troupe::actors;
using troupe::protocol::errc;
using troupe::protocol::publish;
using troupe::protocol::qos;
using troupe::protocol::version;
using namespace std::chrono_literals;

class doors : public testing::Test {
protected:
  publish_record* write(const publish& what, std::size_t waiter = 0) {
    door_.furnish(store_, slabs_, bounds_, version::v5_0);
    return door_.write(what, waiter).record;
  }
  void end(publish_record& record) {
    bounds_.give_back({1, static_cast<std::int64_t>(record.weight())});
    record.memory->release(1);
  }
  static publish message(std::string_view topic, std::string_view payload, qos quality = qos::at_most_once) {
    publish result;
    result.topic = topic;
    result.payload = troupe::protocol::as_octets(payload);
    result.quality = quality;
    result.id = quality == qos::at_most_once ? 0 : 1;
    return result;
  }

  settlement_store store_;
  std::shared_ptr<troupe::runtime::slab_rack> slabs_ = std::make_shared<troupe::runtime::slab_rack>();
  quota bounds_{1000, std::size_t{1} << 20U};
  door door_;
};

TEST_F(doors, encode_what_they_are_given) {
  auto* const record = write(message("t", "x"));
  ASSERT_NE(record, nullptr);
  EXPECT_EQ(support::dump(record->packet()), support::dump("30 05 00 01 't' 00 'x'"));
  EXPECT_EQ(record->view().packet.topic, "t");
  EXPECT_EQ(troupe::protocol::as_text(record->view().packet.payload), "x");
  EXPECT_TRUE(record->view().packet.properties.empty());
  end(*record);
}

TEST_F(doors, leave_room_for_the_id) {
  auto* const record = write(message("topic", "x", qos::exactly_once));
  ASSERT_NE(record, nullptr);
  record->set_id(0x1234);
  EXPECT_EQ(support::dump(record->packet()), support::dump("34 0B 00 05 'topic' 12 34 00 'x'"));
  EXPECT_EQ(record->view().packet.topic, "topic");
  end(*record);
}

TEST_F(doors, keep_long_messages_and_properties_readable) {
  troupe::protocol::property_block properties;
  ASSERT_TRUE(properties.add_user_property("name", "value"));
  const std::string payload(100'000, 'p');
  publish what = message("a/topic", payload, qos::at_least_once);
  what.properties = properties.view();
  auto* const record = write(what);
  ASSERT_NE(record, nullptr);
  record->set_id(7);
  const auto view = record->view().packet;
  EXPECT_EQ(view.topic, "a/topic");
  EXPECT_EQ(troupe::protocol::as_text(view.payload), payload);
  EXPECT_EQ(support::dump(view.properties.block()), support::dump(properties.view().block()));
  EXPECT_EQ(view.properties.seen(), properties.view().seen());
  end(*record);
}

TEST_F(doors, lay_packets_of_consecutive_calls_side_by_side) {
  auto* const first = write(message("t", "1"));
  auto* const second = write(message("t", "2"));
  EXPECT_EQ(first->memory, second->memory);
  EXPECT_EQ(first->frame + first->frame_size, second->frame);
  end(*first);
  end(*second);
}

TEST_F(doors, give_waiters_an_aligned_place) {
  for (const std::size_t size : {1U, 8U, 100U, 300U}) {
    auto* const record = write(message("t", "x"), size);
    ASSERT_NE(record, nullptr);
    auto* const place = static_cast<std::byte*>(record->waiter_storage());
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(place) % alignof(std::max_align_t), 0U);
    EXPECT_GE(place, reinterpret_cast<std::byte*>(record + 1));
    EXPECT_LE(place + size, reinterpret_cast<std::byte*>(record + 1) + record->waiter_size);
    end(*record);
  }
}

TEST_F(doors, refuse_what_no_packet_can_say) {
  door_.furnish(store_, slabs_, bounds_, version::v5_0);
  EXPECT_EQ(door_.write(message("a/#", "x"), 0).refusal, errc::invalid_topic_name);
  EXPECT_EQ(door_.write(message("", "x"), 0).refusal, errc::invalid_topic_name);
  const std::string long_name(65'536, 't');
  EXPECT_EQ(door_.write(message(long_name, "x"), 0).refusal, errc::invalid_topic_name);
  auto* const record = door_.write(message("t", "x"), 0).record;
  ASSERT_NE(record, nullptr) << "nothing was taken for the refused ones";
  end(*record);
}

TEST_F(doors, bring_slabs_home_when_all_records_have_ended) {
  std::vector<publish_record*> records;
  for (int count = 0; count != 500; ++count) {
    records.push_back(write(message("some/topic", std::string(500, 'x'))));
    ASSERT_NE(records.back(), nullptr);
  }
  for (publish_record* each : records) end(*each);
  for (int count = 0; count != 100'000; ++count) {
    auto* const record = write(message("some/topic", "0123456789"));
    ASSERT_NE(record, nullptr);
    end(*record);
  }
}

TEST_F(doors, stop_at_the_bound_and_go_on_when_something_has_ended) {
  quota narrow{3, 10'000};
  door mine;
  mine.furnish(store_, slabs_, narrow, version::v5_0);
  std::vector<publish_record*> records;
  for (int count = 0; count != 3; ++count) records.push_back(mine.write(message("t", "x"), 0).record);
  EXPECT_NE(records.back(), nullptr);
  const auto none = mine.write(message("t", "x"), 0);
  EXPECT_EQ(none.record, nullptr);
  EXPECT_FALSE(none.refusal);
  narrow.give_back({1, static_cast<std::int64_t>(records.back()->weight())});
  records.back()->memory->release(1);
  records.back() = mine.write(message("t", "x"), 0).record;
  EXPECT_NE(records.back(), nullptr);
  for (publish_record* each : records) each->memory->release(1);
}

TEST(quotas, let_what_exceeds_the_bound_pass_alone) {
  quota bounds{10, 1000};
  const auto large = bounds.draw(5000);
  EXPECT_EQ(large.items, 1);
  EXPECT_EQ(bounds.draw(1).items, 0);
  bounds.give_back(large);
  EXPECT_GT(bounds.draw(1).items, 0);
}

TEST(quotas, wake_those_who_wait) {
  quota bounds{1, 1000};
  const auto only = bounds.draw(10);
  std::thread waiting{[&] { EXPECT_TRUE(bounds.wait(10, std::chrono::steady_clock::time_point::max())); }};
  bounds.give_back(only);
  waiting.join();
  EXPECT_FALSE(quota(0, 0).wait(1, std::chrono::steady_clock::now()));
}

TEST(quotas, let_everybody_go_when_they_are_closed) {
  quota bounds{1, 1000};
  static_cast<void>(bounds.draw(10));
  std::thread waiting{[&] { EXPECT_TRUE(bounds.wait(10, std::chrono::steady_clock::time_point::max())); }};
  bounds.close();
  waiting.join();
  EXPECT_TRUE(bounds.is_closed());
}

} // namespace
