// A client as a CAF actor: on our scheduler and on CAF's own, in the user's own actor system.
#include <troupe/actors/client_actor.hpp>
#include <troupe/broker/broker.hpp>
#include <troupe/runtime/house.hpp>

#include <caf/all.hpp>
#include <gtest/gtest.h>

#include <memory>
#include <string>

namespace {

using namespace std::chrono_literals;
namespace mail = troupe::mail;
using troupe::client_handle;
using troupe::client_state;
using troupe::qos;
using troupe::protocol::reason_code;

constexpr auto patience = 60s; // only a broken client makes anybody wait so long

enum class system_kind : int { prepared, stock };

/// A user's own system, a stage that borrows it, and a broker to talk to.
class client_actors : public testing::TestWithParam<system_kind> {
protected:
  client_actors() {
    troupe::mail::add_client_mail(config);
    if (GetParam() == system_kind::prepared) troupe::runtime::configure(config, {.workers = 1}, 1);
    system = std::make_unique<caf::actor_system>(config);
    stage = std::make_unique<troupe::stage>(*system);
    broker = std::make_unique<troupe::broker>(*stage);
    url = broker->listen("mqtt://127.0.0.1:0").value();
    self = std::make_unique<caf::scoped_actor>(*system);
  }
  ~client_actors() override {
    self.reset();
    broker.reset();
    stage.reset();
    system.reset();
  }

  client_handle spawn(const std::string& id = "c") {
    return troupe::spawn_client(*stage, {.broker = url, .client_id = id});
  }
  /// Sends a request and answers its answer; fails the test when there is none.
  template <class Answer, class Request>
  Answer ask(const client_handle& client, Request what) {
    Answer result;
    (*self)
        ->request(client, patience, std::move(what))
        .receive([&](const Answer& answer) { result = answer; },
                 [&](const caf::error& error) { ADD_FAILURE() << system->render(error); });
    return result;
  }
  template <class Request>
  caf::error ask_in_vain(const client_handle& client, Request what) {
    caf::error result;
    (*self)
        ->request(client, patience, std::move(what))
        .receive([](const mail::ended& answer) { ADD_FAILURE() << static_cast<int>(answer.reason); },
                 [&](const caf::error& error) { result = error; });
    return result;
  }
  mail::messages next_messages() {
    mail::messages result;
    (*self)->receive([&](mail::messages& some) { result = std::move(some); },
                     caf::after(patience) >> [] { ADD_FAILURE() << "no messages"; });
    return result;
  }
  caf::error await_down() {
    caf::error reason;
    (*self)->receive([&](const caf::down_msg& down) { reason = down.reason; },
                     caf::after(patience) >> [] { ADD_FAILURE() << "nobody died"; });
    return reason;
  }

  caf::actor_system_config config;
  std::unique_ptr<caf::actor_system> system;
  std::unique_ptr<troupe::stage> stage;
  std::unique_ptr<troupe::broker> broker;
  std::unique_ptr<caf::scoped_actor> self;
  std::string url;
};

TEST_P(client_actors, publish_and_are_answered_once) {
  const client_handle client = spawn();
  EXPECT_TRUE(ask<mail::ended>(client, mail::wait_connected{}).ok());
  for (const qos quality : {qos::at_most_once, qos::at_least_once, qos::exactly_once})
    EXPECT_TRUE(ask<mail::ended>(client, mail::publish{"a", "x", quality}).ok());
  const caf::error wrong = ask_in_vain(client, mail::publish{"a/#", "x"});
  EXPECT_EQ(wrong.category(), mail::client_error);
  EXPECT_NE(system->render(wrong).find("mqtt"), std::string::npos);
  // Who does not say who he is gets no answer.
  caf::anon_send(client, mail::publish{"a", "x"});
  EXPECT_TRUE(ask<mail::ended>(client, mail::disconnect{}).ok());
  EXPECT_TRUE(ask<mail::ended>(client, mail::connect{}).ok());
  EXPECT_TRUE((*self)->mailbox().empty());
}

TEST_P(client_actors, deliver_by_credit_and_in_order) {
  const client_handle client = spawn();
  const auto granted = ask<mail::subscribed>(
      client, mail::subscribe{.filter = "n/+", .maximum = qos::at_least_once, .credit = 3});
  ASSERT_EQ(granted.reason, reason_code::granted_qos_1);
  for (int number = 0; number != 10; ++number)
    ask<mail::ended>(
        client, mail::publish{"n/" + std::to_string(number), std::to_string(number), qos::at_least_once});
  int next = 0;
  const auto take = [&](int until) {
    while (next != until)
      for (const troupe::message& each : next_messages().list) EXPECT_EQ(each.text(), std::to_string(next++));
  };
  take(3);
  ask<mail::ended>(client, mail::publish{"other", "x", qos::at_least_once});
  EXPECT_TRUE((*self)->mailbox().empty()) << "no credit, no messages";
  (*self)->send(client, mail::credit{granted.subscription, 4});
  take(7);
  (*self)->send(client, mail::credit{granted.subscription, 100});
  take(10);
  EXPECT_TRUE(ask<mail::ended>(client, mail::unsubscribe{granted.subscription}).ok());
  EXPECT_EQ(ask<mail::ended>(client, mail::unsubscribe{granted.subscription}).reason,
            reason_code::no_subscription_existed);
}

TEST_P(client_actors, drop_what_their_policy_says_when_there_is_no_credit) {
  const client_handle client = spawn();
  const auto oldest =
      ask<mail::subscribed>(client, mail::subscribe{.filter = "n", .queue_items = 2, .when_full = 1});
  for (int number = 0; number != 5; ++number)
    ask<mail::ended>(client, mail::publish{"n", std::to_string(number), qos::exactly_once});
  const auto end = ask<mail::subscribed>(client, mail::subscribe{.filter = "end", .credit = 1});
  ASSERT_TRUE(end.ok());
  ask<mail::ended>(client, mail::publish{"end", "x"});
  EXPECT_EQ(next_messages().subscription, end.subscription); // so the others have come, too
  (*self)->send(client, mail::credit{oldest.subscription, 10});
  const mail::messages kept = next_messages();
  ASSERT_EQ(kept.list.size(), 2U);
  EXPECT_EQ(kept.list[0].text(), "3");
  EXPECT_EQ(kept.list[1].text(), "4");
}

caf::behavior counting(caf::event_based_actor* self, caf::actor whom) {
  return {[self, whom](const mail::messages& some) { self->send(whom, some); }};
}

TEST_P(client_actors, end_the_subscriptions_of_a_receiver_that_dies) {
  const client_handle client = spawn();
  const caf::actor me = caf::actor_cast<caf::actor>((*self)->address());
  const caf::actor receiver = system->spawn(counting, me);
  const auto granted =
      ask<mail::subscribed>(client, mail::subscribe{.filter = "n", .credit = 10, .receiver = receiver});
  ASSERT_TRUE(granted.ok());
  ask<mail::ended>(client, mail::publish{"n", "x"});
  EXPECT_EQ(next_messages().list.size(), 1U);
  (*self)->monitor(receiver);
  caf::anon_send_exit(receiver, caf::exit_reason::kill);
  await_down();
  // Its death is in the client's mailbox before our next request, whose answer comes after UNSUBSCRIBE.
  while (broker->statistics().subscriptions != 0) ask<mail::ended>(client, mail::publish{"n", "x"});
  EXPECT_EQ(ask<mail::ended>(client, mail::unsubscribe{granted.subscription}).reason,
            reason_code::no_subscription_existed);
}

TEST_P(client_actors, tell_how_they_fare) {
  const client_handle client = spawn();
  (*self)->send(client, mail::watch{});
  bool is_over = false;
  bool was_connected = false;
  ask<mail::ended>(client, mail::wait_connected{});
  (*self)->send(client, mail::disconnect{});
  (*self)->receive_while([&] { return !is_over; })(
      [&](const mail::state_changed& now) {
        was_connected = was_connected || now.state == client_state::connected;
        is_over = was_connected && now.state == client_state::disconnected;
      },
      caf::after(patience) >>
          [&] {
            ADD_FAILURE() << "no state";
            is_over = true;
          });
  EXPECT_TRUE(was_connected);
}

TEST_P(client_actors, say_farewell_when_told_to_exit) {
  const client_handle client = spawn();
  ask<mail::ended>(client, mail::wait_connected{});
  (*self)->monitor(client);
  caf::anon_send_exit(client, caf::exit_reason::user_shutdown);
  EXPECT_EQ(await_down(), caf::exit_reason::user_shutdown);
}

TEST_P(client_actors, cut_the_connection_when_killed_so_that_the_will_is_said) {
  const client_handle heir = spawn("heir");
  ASSERT_TRUE(ask<mail::subscribed>(heir, mail::subscribe{.filter = "will", .credit = 1}).ok());
  const client_handle client = troupe::spawn_client(
      *stage, {.broker = url, .client_id = "c", .will = troupe::will{.topic = "will", .payload = "gone"}});
  ask<mail::ended>(client, mail::wait_connected{});
  (*self)->monitor(client);
  caf::anon_send_exit(client, caf::exit_reason::kill);
  EXPECT_EQ(next_messages().list.front().text(), "gone");
  EXPECT_EQ(await_down(), caf::exit_reason::kill);
}

TEST_P(client_actors, answer_everything_once_when_they_end_under_load) {
  const client_handle client = spawn();
  ask<mail::ended>(client, mail::wait_connected{});
  constexpr int count = 2'000;
  int answers = 0;
  const auto ask_all = [&](caf::event_based_actor* who, int most) -> caf::behavior {
    for (int number = 0; number != most; ++number)
      who->request(client, caf::infinite, mail::publish{"n", "x", qos::exactly_once})
          .then([&](const mail::ended&) { ++answers; }, [&](const caf::error&) { ++answers; });
    who->send_exit(client, caf::exit_reason::user_shutdown);
    for (int number = 0; number != 10; ++number) // these come behind the end
      who->request(client, caf::infinite, mail::publish{"n", "x"})
          .then([&](const mail::ended&) { ++answers; }, [&](const caf::error&) { ++answers; });
    return {};
  };
  (*self)->monitor(system->spawn(ask_all, count));
  await_down(); // it ends by itself once nothing is awaited any more
  EXPECT_EQ(answers, count + 10);
}

TEST_P(client_actors, answer_what_is_open_when_the_stage_ends) {
  broker->stop();
  // No handle is kept: a stage waits a while for those who still hold its actors.
  auto pending = (*self)->request(spawn(), patience, mail::publish{"n", "x", qos::exactly_once});
  broker.reset();
  stage.reset();
  pending.receive([](const mail::ended&) { ADD_FAILURE() << "nobody was there"; }, [](const caf::error&) {});
}

TEST_P(client_actors, with_bad_settings_say_so_in_every_answer) {
  const client_handle client = troupe::spawn_client(*stage, {.broker = "gopher://x"});
  EXPECT_TRUE(ask_in_vain(client, mail::wait_connected{}));
  EXPECT_TRUE(ask_in_vain(client, mail::publish{"a", "x"}));
}

caf::behavior parent(caf::event_based_actor* self, troupe::stage* stage, std::string url) {
  troupe::spawn_client<caf::linked>(*self, *stage, {.broker = std::move(url)});
  return {[self](int) { self->quit(caf::exit_reason::user_shutdown); }};
}

TEST_P(client_actors, die_with_whom_they_are_linked_to) {
  const auto alone = stage->actors_alive();
  const caf::actor linked = system->spawn(parent, stage.get(), url);
  (*self)->monitor(linked);
  caf::anon_send(linked, 1);
  EXPECT_EQ(await_down(), caf::exit_reason::user_shutdown);
  const auto until = std::chrono::steady_clock::now() + patience;
  while (stage->actors_alive() != alone && std::chrono::steady_clock::now() < until)
    std::this_thread::yield();
  EXPECT_EQ(stage->actors_alive(), alone);
}

TEST(client_mail, crosses_the_network_as_octets) {
  caf::actor_system_config config;
  troupe::mail::add_client_mail(config);
  caf::actor_system system{config};
  troupe::protocol::property_block properties;
  ASSERT_TRUE(properties.add_user_property("k", "v").has_value());
  troupe::protocol::publish packet;
  packet.topic = "a/b";
  packet.payload = troupe::protocol::as_octets("xyz");
  packet.quality = qos::at_least_once;
  packet.retain = true;
  packet.properties = properties.view();
  const mail::messages sent{7, {troupe::message{packet, nullptr}.clone()}};
  std::vector<char> octets;
  caf::binary_serializer writer{system, octets};
  ASSERT_EQ(writer(sent), caf::none);
  mail::messages read;
  caf::binary_deserializer reader{system, octets};
  ASSERT_EQ(reader(read), caf::none);
  ASSERT_EQ(read.list.size(), 1U);
  EXPECT_EQ(read.subscription, 7U);
  EXPECT_EQ(read.list[0].topic(), "a/b");
  EXPECT_EQ(read.list[0].text(), "xyz");
  EXPECT_EQ(read.list[0].quality(), qos::at_least_once);
  EXPECT_TRUE(read.list[0].retained());
  std::string names;
  read.list[0].properties().for_each_user_property(
      [&](const auto& each) { names += std::string{each.name} + '=' + std::string{each.value}; });
  EXPECT_EQ(names, "k=v");
}

INSTANTIATE_TEST_SUITE_P(on, client_actors, testing::Values(system_kind::prepared, system_kind::stock),
                         [](const auto& which) {
                           return which.param == system_kind::prepared ? "a_prepared_system"
                                                                       : "a_stock_system";
                         });

} // namespace
