#include <troupe/broker/kept_message.hpp>
#include <troupe/runtime/slab_pool.hpp>

#include <gtest/gtest.h>

#include <string>

namespace troupe::brokerage {
namespace {

protocol::publish packet_of(std::string_view topic, std::string_view payload) {
  return {.topic = topic, .payload = protocol::as_octets(payload), .quality = protocol::qos::at_least_once};
}

TEST(kept_message, outlives_the_octets_it_came_in) {
  message_store store;
  message_ref kept;
  {
    const std::string topic = "a/topic";
    const std::string payload = "a payload";
    kept = store.keep(packet_of(topic, payload), nullptr, {});
  }
  EXPECT_EQ(kept->packet().topic, "a/topic");
  EXPECT_EQ(protocol::as_text(kept->packet().payload), "a payload");
  EXPECT_EQ(kept->owner(), nullptr);
}

TEST(kept_message, refers_to_a_large_payload_that_has_an_owner) {
  runtime::slab_pool slabs;
  runtime::slab* const slab = slabs.take(2 * by_reference);
  const std::string_view large{reinterpret_cast<const char*>(slab->data()), 2 * by_reference};
  message_store store;
  {
    const message_ref kept = store.keep(packet_of("t", large), slab, {});
    EXPECT_EQ(kept->packet().payload.data(), slab->data());
    EXPECT_FALSE(slab->is_sole());
    const message_ref small = store.keep(packet_of("t", large.substr(0, by_reference - 1)), slab, {});
    EXPECT_NE(small->packet().payload.data(), slab->data());
  }
  EXPECT_TRUE(slab->is_sole());
  slab->release(1);
}

TEST(kept_message, uses_its_blocks_again) {
  message_store store;
  const kept_message* first = nullptr;
  for (int round = 0; round < 100; ++round) {
    const message_ref kept = store.keep(packet_of("t", "x"), nullptr, {});
    if (first == nullptr) first = &*kept;
    EXPECT_EQ(&*kept, first);
    EXPECT_EQ(store.idle(), 0U);
  }
  EXPECT_EQ(store.idle(), 256U);
}

TEST(kept_message, takes_any_size) {
  message_store store;
  for (std::size_t size = 0; size < 3'000'000; size = size * 3 + 1) {
    const std::string payload(size, 'x');
    const message_ref kept = store.keep(packet_of("t", payload), nullptr, {});
    EXPECT_EQ(kept->packet().payload.size(), size);
    EXPECT_GE(kept->weight(), size);
  }
}

TEST(kept_message, leaves_its_store_for_none) {
  message_ref moved;
  {
    message_store here;
    const message_ref shared = here.keep(packet_of("t", "x"), nullptr, {});
    moved = shared;
    moved.detach();
    EXPECT_NE(&*moved, &*shared);
  }
  EXPECT_EQ(protocol::as_text(moved->packet().payload), "x");
  message_ref again = moved;
  again.detach(); // from none to none
  EXPECT_EQ(protocol::as_text(again->packet().payload), "x");
}

TEST(kept_message, knows_when_it_expires) {
  message_store store;
  protocol::property_block block;
  ASSERT_TRUE(block.set(protocol::property::message_expiry_interval, 7U));
  auto packet = packet_of("t", "x");
  const protocol::time_point now{std::chrono::hours{1}};
  EXPECT_EQ(store.keep(packet, nullptr, now)->expires(), protocol::never);
  packet.properties = block.view();
  EXPECT_EQ(store.keep(packet, nullptr, now)->expires(), now + std::chrono::seconds{7});
}

} // namespace
} // namespace troupe::brokerage
