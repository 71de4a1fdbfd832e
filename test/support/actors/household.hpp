// household: a stage, a broker in it and clients of that broker, for tests that need no script.
#pragma once

#include <troupe/actors/client.hpp>
#include <troupe/broker/broker.hpp>

#include <gtest/gtest.h>

#include <chrono>
#include <string>

namespace support {

class household : public testing::Test {
protected:
  troupe::client_options options(std::string id = "c") const {
    troupe::client_options result;
    result.broker = url;
    result.client_id = std::move(id);
    result.backoff_first = std::chrono::milliseconds{1};
    result.backoff_limit = std::chrono::milliseconds{1};
    return result;
  }

  troupe::stage stage;
  troupe::broker broker{stage};
  const std::string url = broker.listen("loopback://household").value();
};

} // namespace support
