#include <troupe/broker/registry.hpp>

#include <gtest/gtest.h>

#include <utility>
#include <vector>

namespace troupe::brokerage {
namespace {

struct registry_test : testing::Test {
  template <class Mail>
  Mail said(shard_number to) {
    if (mail.empty() || mail.front().first != to || !std::holds_alternative<Mail>(mail.front().second)) {
      ADD_FAILURE() << "something else was said, or nothing";
      return {};
    }
    Mail one = std::move(std::get<Mail>(mail.front().second));
    mail.erase(mail.begin());
    return one;
  }
  std::vector<std::pair<shard_number, shard_mail>> mail{};
  registry names{[this](shard_number to, shard_mail&& what) { mail.emplace_back(to, std::move(what)); }};
};

TEST_F(registry_test, lets_a_new_client_in_and_forgets_it_at_its_end) {
  names.on_wish({.client_id = "a", .shard = 2, .peer = 7});
  const auto answer = said<admission>(2);
  EXPECT_EQ(answer.peer, 7U);
  EXPECT_FALSE(answer.is_here);
  names.on_admitted({.client_id = "a", .shard = 2, .session = 70});
  names.on_over({.client_id = "a", .session = 69}); // another one's end
  EXPECT_EQ(names.size(), 1U);
  names.on_over({.client_id = "a", .session = 70});
  EXPECT_EQ(names.size(), 0U);
  EXPECT_TRUE(mail.empty());
}

TEST_F(registry_test, asks_the_shard_that_has_the_session) {
  names.on_wish({.client_id = "a", .shard = 2, .peer = 7});
  said<admission>(2);
  names.on_admitted({.client_id = "a", .shard = 2, .session = 70});
  names.on_wish({.client_id = "a", .shard = 1, .peer = 8, .is_clean = false});
  const auto order = said<yield_order>(2);
  EXPECT_EQ(order.to, 1U);
  EXPECT_EQ(order.peer, 8U);
  EXPECT_FALSE(order.is_clean);
}

TEST_F(registry_test, makes_wishes_wait_while_one_is_being_granted) {
  names.on_wish({.client_id = "a", .shard = 0, .peer = 1});
  names.on_wish({.client_id = "a", .shard = 1, .peer = 2});
  names.on_wish({.client_id = "a", .shard = 2, .peer = 3});
  said<admission>(0);
  EXPECT_TRUE(mail.empty());
  names.on_admitted({.client_id = "a", .shard = 0, .session = 10});
  EXPECT_EQ(said<yield_order>(0).peer, 2U);
  names.on_over({.client_id = "a", .session = 10}); // it ended on the way
  names.on_admitted({.client_id = "a", .shard = 1, .session = 11});
  EXPECT_EQ(said<yield_order>(1).peer, 3U);
}

TEST_F(registry_test, forgets_a_wish_whose_connection_went) {
  names.on_wish({.client_id = "a", .shard = 0, .peer = 1});
  said<admission>(0);
  names.on_admitted({.client_id = "a", .shard = 0, .session = 0});
  EXPECT_EQ(names.size(), 0U);
}

} // namespace
} // namespace troupe::brokerage
