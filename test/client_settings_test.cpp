#include "support/sample.hpp"

#include <troupe/config/client_settings.hpp>

#include <gtest/gtest.h>

using namespace troupe::config;
using namespace std::chrono_literals;

TEST(client_settings, the_sample_shows_the_defaults) {
  support::expect_sample_shows_the_defaults<client_settings>(TROUPE_SOURCE_DIR "/config/client.toml");
}

TEST(client_settings, settings_that_contradict_each_other_are_told_together) {
  client_settings settings{.broker = "localhost",
                           .version = "3.1.1",
                           .password = "x",
                           .reconnect_least = 2s,
                           .reconnect_most = 1s,
                           .tls = {.cert_file = "a"}};
  EXPECT_EQ(settings.check().size(), 4U) << support::all_of(settings.check());
}

TEST(client_settings, user_properties_are_text_that_connect_can_say) {
  client_settings settings{.user_properties = {"a: b", ":"}};
  EXPECT_EQ(support::all_of(settings.check()), "");
  settings.user_properties.emplace_back("no colon");
  EXPECT_EQ(settings.check().size(), 1U);
  settings.user_properties = {"a: \xFF"};
  EXPECT_EQ(settings.check().size(), 1U);
  settings.user_properties = {"a: b"};
  settings.version = "3.1.1";
  EXPECT_EQ(settings.check().size(), 1U);
}

TEST(client_settings, parts_have_their_own_prefix) {
  client_settings settings;
  auto result =
      load(settings, {.arguments = {"--tls-ca-file", "ca.pem", "--runtime-workers", "2", "-V", "3.1.1"}});
  EXPECT_EQ(support::all_of(result.problems), "");
  EXPECT_EQ(settings.tls.ca_file, "ca.pem");
  EXPECT_EQ(settings.runtime.workers, 2U);
  EXPECT_EQ(settings.version, "3.1.1");
}
