// clients: what all tests of the client, as its users see it, begin with.
//
// Lives here: clients: a broker that the test plays itself, and a stage, on our scheduler and on both of
//          CAF's. client_test.cpp says on which; its tests stand in several files, one for each question.
#pragma once

#include "scripted_broker.hpp"

#include <troupe/actors/client.hpp>

#include <gtest/gtest.h>

#include <chrono>

namespace support {

class clients : public testing::TestWithParam<troupe::scheduler_kind> {
protected:
  troupe::client_options options() const {
    troupe::client_options result;
    result.broker = broker.url();
    result.client_id = "c";
    result.keep_alive = std::chrono::seconds{0};
    result.backoff_first = std::chrono::milliseconds{1};
    result.backoff_limit = std::chrono::milliseconds{1};
    return result;
  }

  /// Accepts the client's connection, and waits until it knows.
  scripted_link welcome(troupe::client& c) {
    auto link = broker.accept();
    link.welcome();
    EXPECT_TRUE(c.connected().get().ok());
    return link;
  }

  scripted_broker broker;
  troupe::stage stage{{.scheduler = GetParam()}};
};

} // namespace support
