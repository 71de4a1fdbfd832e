// What the desk does when the dispatcher's mailbox is full.
#include <troupe/actors/door.hpp>
#include <troupe/actors/subscription_desk.hpp>
#include <troupe/protocol/errc.hpp>
#include <troupe/runtime/outlet.hpp>

#include "support/script.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <variant>
#include <vector>

namespace {

using namespace troupe::actors;
using support::client_scene;
using troupe::message;
using troupe::qos;
using troupe::protocol::errc;
namespace runtime = troupe::runtime;

struct silent_bell final : runtime::bell {
  void ring() noexcept override {}
  void retain() noexcept override {}
  void release() noexcept override {}
};

struct subscription_desk_test : testing::Test {
  static link_ref link_to(std::string filter) {
    return std::make_shared<subscription_link>(
        std::move(filter), qos::at_most_once, [](const message&) {}, troupe::subscribe_options{},
        std::weak_ptr<client_core>{});
  }
  /// What the dispatcher has been told since: "+" for a link that begins, "-" for one that ends.
  std::string heard() {
    std::string all;
    static_cast<void>(outlet.drain(100, [&](dispatch_mail&& mail) {
      all += std::holds_alternative<link_added>(mail) ? '+' : '-';
      if (auto* const begun = std::get_if<link_added>(&mail)) held.push_back(begun->link);
    }));
    return all;
  }

  /// As a session does at its end: every question comes back to the desk, which owns it.
  void TearDown() override {
    scene.machine.abandon(errc::closed);
    for (const auto& each : scene.host.ends)
      desk.on_complete(*reinterpret_cast<user_request*>(each.token), {.error = each.error});
  }

  silent_bell bell;
  runtime::mailbox<dispatch_mail> box{bell, {.items = 1}};
  runtime::outlet<dispatch_mail> outlet{box};
  runtime::inlet<dispatch_mail> inlet{box};
  std::vector<link_ref> held; // as the dispatcher holds them
  client_scene scene;
  quota bounds{100, 1'000'000};
  runtime::tally failures;
  settler ends{bounds, failures};
  subscription_desk desk{scene.machine, ends, inlet};
};

TEST_F(subscription_desk_test, refuses_a_subscription_for_which_the_dispatcher_has_no_room) {
  std::vector<link_ref> links;
  for (const char* filter : {"a", "b"}) {
    links.push_back(link_to(filter));
    desk.subscribe(links.back(), {});
  }
  EXPECT_FALSE(links[0]->answer.error());
  EXPECT_EQ(links[1]->answer.error(), errc::backpressure);
  EXPECT_EQ(heard(), "+");
  scene.connects();
  desk.renew(false, {});
  scene.expect("82 07 00 01 00 00 01 'a' 00"); // the broker is not asked for it either
  outlet.close();
}

TEST_F(subscription_desk_test, tells_every_end_once_there_is_room) {
  std::vector<link_ref> links;
  for (const char* filter : {"a", "b", "c"}) {
    links.push_back(link_to(filter));
    desk.subscribe(links.back(), {});
    EXPECT_EQ(heard(), "+");
  }
  for (const link_ref& link : links) desk.end_link(*link, asker{}, {});
  EXPECT_TRUE(desk.has_untold());
  for (int full = 0; full != 2; ++full) {
    EXPECT_FALSE(desk.tell_rest());
    EXPECT_EQ(heard(), "-");
  }
  EXPECT_TRUE(desk.tell_rest());
  EXPECT_EQ(heard(), "-");
  EXPECT_FALSE(desk.has_untold());
  outlet.close();
}

} // namespace
