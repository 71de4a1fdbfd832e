// router_test: what all tests of the router begin with: one shard and somebody who publishes.
//
// Lives here: router_test. Its tests stand in several files, one for each question.
#pragma once

#include "shard_rig.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace troupe::test {

using texts = std::vector<std::string>;

struct router_test : testing::Test {
  router_test() {
    publisher.connect({.id = "publisher"});
    publisher.hear();
  }
  shard_rig rig{};
  rig_client publisher{rig};
};

} // namespace troupe::test
