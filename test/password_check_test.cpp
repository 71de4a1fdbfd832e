#include "support/shard_rig.hpp"

#include <troupe/broker/password_check.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <future>
#include <optional>
#include <string>
#include <vector>

namespace troupe::brokerage {
namespace {

using protocol::as_octets;
using protocol::reason_code;

/// `rounds` of a cost at which a thread is kept busy for a moment, or none.
password_table table_of(const std::string& user, std::string_view password, unsigned log_n = 4) {
  password_table table;
  table.emplace(user, *password_hash::make(as_octets(password), {.log_n = log_n, .r = 1, .p = 1}));
  return table;
}

identity named(std::string_view name) { return {.client_id = "c", .user_name = name}; }

/// What the check says, whether at once or later.
reason_code ask(password_check& check, std::string_view user, std::string_view password) {
  std::promise<reason_code> told;
  const auto now =
      check.prove(named(user), as_octets(password), [&](reason_code how) { told.set_value(how); });
  return now ? *now : told.get_future().get();
}

TEST(password_check, tells_right_from_wrong) {
  password_check check{table_of("ann", "secret")};
  EXPECT_EQ(ask(check, "ann", "secret"), reason_code::success);
  EXPECT_EQ(ask(check, "ann", "Secret"), reason_code::bad_user_name_or_password);
  EXPECT_EQ(ask(check, "bob", "secret"), reason_code::bad_user_name_or_password);
  EXPECT_EQ(ask(check, "ann", ""), reason_code::bad_user_name_or_password);
  EXPECT_EQ(check.count().right, 1U);
  EXPECT_EQ(check.count().wrong, 3U);
}

TEST(password_check, has_nothing_to_say_of_who_gives_no_name) {
  password_check check{table_of("ann", "secret")};
  const identity nobody{.client_id = "c"};
  EXPECT_EQ(check.prove(nobody, {}, {}), reason_code::success);
  EXPECT_EQ(check.prove(named("ann"), {}, {}), reason_code::bad_user_name_or_password);
}

TEST(password_check, remembers_who_was_right) {
  password_check check{table_of("ann", "secret")};
  ASSERT_EQ(ask(check, "ann", "secret"), reason_code::success);
  EXPECT_EQ(check.prove(named("ann"), as_octets("secret"), {}), reason_code::success); // at once
  EXPECT_EQ(ask(check, "ann", "other"), reason_code::bad_user_name_or_password);
  EXPECT_EQ(check.prove(named("ann"), as_octets("secret"), {}), reason_code::success);
  EXPECT_EQ(check.count().remembered, 2U);
}

TEST(password_check, forgets_with_a_new_table) {
  password_check check{table_of("ann", "old")};
  ASSERT_EQ(ask(check, "ann", "old"), reason_code::success);
  check.replace(table_of("ann", "new"));
  EXPECT_EQ(ask(check, "ann", "old"), reason_code::bad_user_name_or_password);
  EXPECT_EQ(ask(check, "ann", "new"), reason_code::success);
}

TEST(password_check, lets_no_more_wait_than_it_was_told) {
  password_check check{table_of("ann", "secret"), 2};
  std::promise<void> gate;
  std::shared_future<void> open = gate.get_future().share();
  std::promise<void> busy;
  std::promise<reason_code> last;
  // the first reply holds the thread until the test lets it go
  ASSERT_FALSE(check.prove(named("ann"), as_octets("x"), [&](reason_code) {
    busy.set_value();
    open.wait();
  }));
  busy.get_future().wait();
  EXPECT_FALSE(check.prove(named("ann"), as_octets("y"), [](reason_code) {}));
  EXPECT_FALSE(check.prove(named("ann"), as_octets("secret"), [&](reason_code how) { last.set_value(how); }));
  EXPECT_EQ(check.prove(named("ann"), as_octets("z"), [](reason_code) {}), reason_code::server_busy);
  EXPECT_EQ(check.count().busy, 1U);
  gate.set_value();
  EXPECT_EQ(last.get_future().get(), reason_code::success);
}

TEST(password_check, ends_while_somebody_waits) {
  std::optional<password_check> check{std::in_place, table_of("ann", "secret")};
  std::vector<int> told(20); // how often; by the check's thread, which its end waits for
  for (int& mine : told)
    EXPECT_FALSE(check->prove(named("ann"), as_octets("x"), [&mine](reason_code how) {
      EXPECT_EQ(how, reason_code::bad_user_name_or_password);
      ++mine;
    }));
  check.reset();
  // Whoever was told anything was told it once and in his turn.
  EXPECT_LE(told.front(), 1);
  EXPECT_TRUE(std::is_sorted(told.rbegin(), told.rend()));
}

// -- what a shard makes of it ---------------------------------------------------------------------------

using protocol::packet_type;
using test::rig_client;
using test::shard_rig;

/// Answers when the test says so.
class slow_judge final : public authenticator {
public:
  std::optional<reason_code> prove(const identity& who, std::optional<protocol::octets>,
                                   reply later) override {
    asked.emplace_back(who.user_name.value_or("-"));
    if (answer) return answer;
    waiting.push_back(std::move(later));
    return {};
  }
  std::vector<std::string> asked{};
  std::vector<reply> waiting{};
  std::optional<reason_code> answer{};
};

struct slow_login : testing::TestWithParam<protocol::version> {
  std::shared_ptr<slow_judge> judge = std::make_shared<slow_judge>();
  shard_rig rig{{.proof = judge}};
};

INSTANTIATE_TEST_SUITE_P(both, slow_login,
                         testing::Values(protocol::version::v3_1_1, protocol::version::v5_0));

TEST_P(slow_login, keeps_nobody_else_waiting) {
  judge->answer = reason_code::success;
  rig_client early{rig};
  early.connect({.version = GetParam(), .id = "early"});
  early.hear();
  judge->answer.reset();
  rig_client waiting{rig};
  waiting.connect({.version = GetParam(), .id = "waiting"});
  waiting.subscribe("t"); // stands behind its CONNECT
  EXPECT_TRUE(waiting.hear().empty());
  early.subscribe("t");
  early.publish("t", "goes on");
  EXPECT_EQ(early.payloads(), std::vector<std::string>{"goes on"});
  judge->waiting.at(0)(reason_code::success);
  rig.settle();
  const auto heard = waiting.hear();
  ASSERT_EQ(heard.size(), 2U);
  EXPECT_EQ(heard[0].type, packet_type::connack);
  EXPECT_EQ(heard[0].reason, reason_code::success);
  EXPECT_EQ(heard[1].type, packet_type::suback);
}

TEST_P(slow_login, refuses_in_the_words_of_the_version) {
  rig_client one{rig};
  one.connect({.version = GetParam()});
  judge->waiting.at(0)(reason_code::bad_user_name_or_password);
  one.reap();
  const auto heard = one.hear();
  ASSERT_EQ(heard.size(), 1U);
  EXPECT_EQ(heard[0].reason, reason_code::bad_user_name_or_password);
  EXPECT_TRUE(one.is_closed());
  EXPECT_EQ(rig.counts().logins_refused.value(), 1U);
  judge->answer = reason_code::server_busy;
  rig_client other{rig};
  other.connect({.version = GetParam()});
  const auto refused = other.hear();
  ASSERT_EQ(refused.size(), 1U);
  // 3.1.1 has one code for both
  EXPECT_EQ(refused[0].reason, GetParam() == protocol::version::v5_0 ? reason_code::server_busy
                                                                     : reason_code::server_unavailable);
  EXPECT_EQ(rig.counts().logins_busy.value(), 1U);
}

TEST_P(slow_login, forgets_who_did_not_wait) {
  {
    rig_client gone{rig};
    gone.connect({.version = GetParam()});
  }
  rig_client late{rig};
  late.connect({.version = GetParam()});
  rig.advance(std::chrono::seconds{11}); // more than connect_timeout
  late.reap();
  EXPECT_TRUE(late.is_closed());
  for (const auto& tell : judge->waiting) tell(reason_code::success);
  rig.settle();
  EXPECT_EQ(rig.counts().sessions.value(), 0U);
  EXPECT_EQ(rig.counts().connections.value(), 0U);
}

} // namespace
} // namespace troupe::brokerage
