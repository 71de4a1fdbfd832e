// bridge: what tests of bridges share.
//
// Lives here: options_for, plan, made and joined (a bridge), somebody, expect_no_echo.
#pragma once

#include "inbox.hpp"
#include "port_holder.hpp"

#include <troupe/actors/client.hpp>
#include <troupe/broker/bridge.hpp>
#include <troupe/broker/broker.hpp>

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace troupe::test {

inline client_options options_for(const std::string& url, std::string id, version spoken = version::v5_0) {
  client_options result;
  result.broker = url;
  result.client_id = std::move(id);
  result.version = spoken;
  result.backoff_first = std::chrono::milliseconds{1};
  result.backoff_limit = std::chrono::milliseconds{5};
  return result;
}

/// Somebody who listens to one filter and may speak.
class somebody {
public:
  somebody(stage& where, const std::string& url, std::string id, const std::string& filter)
      : client_{where, options_for(url, std::move(id))},
        heard_{client_.subscribe(filter, qos::exactly_once, box.handler(), {.retain_as_published = true})} {
    EXPECT_TRUE(heard_.granted().get().ok());
  }
  void say(const std::string& topic, const std::string& text, qos quality = qos::at_least_once,
           const publish_options& how = {}) {
    EXPECT_TRUE(client_.publish(topic, text, quality, how).get().ok());
  }
  std::string next() {
    const letter one = box.next();
    return one.topic + ' ' + one.text;
  }

  inbox box;

private:
  client client_;
  subscription heard_;
};

/// Each listens to everything, and hears once what either says: an echo would come before the next word.
inline void expect_no_echo(somebody& here, somebody& there, qos quality = qos::at_least_once) {
  here.say("a", "1", quality);
  EXPECT_EQ(there.next(), "a 1");
  there.say("a", "2", quality);
  EXPECT_EQ(here.next(), "a 1");
  EXPECT_EQ(here.next(), "a 2");
  EXPECT_EQ(there.next(), "a 2");
  here.say("a", "3", quality);
  EXPECT_EQ(there.next(), "a 3");
  EXPECT_EQ(here.next(), "a 3");
  EXPECT_TRUE(here.box.is_empty());
  EXPECT_TRUE(there.box.is_empty());
}

inline std::unique_ptr<bridge> made(stage& where, broker& own, bridge_options options) {
  auto result = bridge::make(where, own, std::move(options));
  EXPECT_TRUE(result.has_value()) << (result ? "" : result.error().message());
  return result ? std::move(*result) : nullptr;
}

inline std::unique_ptr<bridge> joined(stage& where, broker& own, bridge_options options) {
  auto result = made(where, own, std::move(options));
  EXPECT_TRUE(result->connected().get().ok());
  return result;
}

inline bridge_options plan(const std::string& url, std::vector<bridge_map> maps,
                           version spoken = version::v5_0) {
  bridge_options result;
  result.remote = options_for(url, "far", spoken);
  result.remote.clean_start = false;
  result.remote.session_expiry = std::chrono::hours{1};
  result.maps = std::move(maps);
  return result;
}

} // namespace troupe::test
