// store_test: what all tests of a broker with a store begin with: one whose process ends now and then.
//
// Lives here: store_test. Its tests stand in several files, one for each question.
#pragma once

#include "shard_rig.hpp"

#include <troupe/runtime/record_store.hpp>

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace troupe::test {

/// A broker whose process ends now and then.
struct store_test : testing::Test {
  void start(brokerage::shard_number shards = 1, broker_options options = {}) {
    options.store = records;
    rig.emplace(std::move(options), shards);
  }
  /// Without another word; what was not kept is lost.
  void crash() {
    records->hold();
    clients.clear();
    rig.reset();
    records->lose();
    records->hold(false);
  }
  void restart(brokerage::shard_number shards = 1, broker_options options = {}) {
    crash();
    start(shards, std::move(options));
  }
  rig_client& client(std::size_t shard = 0) {
    return *clients.emplace_back(std::make_unique<rig_client>(*rig, shard));
  }
  rig_client& durable(const std::string& id, std::size_t shard = 0, bool clean = false) {
    rig_client& made = client(shard);
    made.connect({.id = id, .clean = clean, .expiry = 1'000});
    return made;
  }
  static bool is_present(rig_client& who) {
    const auto said = who.hear(protocol::packet_type::connack);
    return said.size() == 1 && said[0].session_present;
  }

  std::shared_ptr<runtime::memory_records> records = std::make_shared<runtime::memory_records>();
  std::optional<shard_rig> rig;
  std::vector<std::unique_ptr<rig_client>> clients;
};

} // namespace troupe::test
