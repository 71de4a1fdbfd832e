// loopback_transport_test: what tests of transports in memory begin with.
//
// Lives here: loopback_transport_test: two ends on as many homes as the parameter says.
//          loopback_transport_test.cpp says on how many; its tests stand in several files.
#pragma once

#include "ends.hpp"

#include <troupe/runtime/loopback_transport.hpp>

#include <gtest/gtest.h>

namespace troupe::test {

class loopback_transport_test : public testing::TestWithParam<std::size_t> {
protected:
  void TearDown() override { close_all(); }

  runtime::home& here() { return stage_.inside()[0]; }
  runtime::home& there() { return stage_.inside()[GetParam() - 1]; }

  void connect(runtime::transport_options options = {}, runtime::loopback_faults faults = {}) {
    auto ends =
        runtime::make_loopback({here(), options, faults}, {there(), options, faults}, "loopback://test");
    near_ = std::move(ends.first);
    far_ = std::move(ends.second);
  }
  void start() {
    at(here(), [&] { near_->start(near_sink_); });
    at(there(), [&] { far_->start(far_sink_); });
  }
  void close_all() {
    at(here(), [&] { near_.reset(); });
    at(there(), [&] { far_.reset(); });
  }
  void let_run() {
    for (int i = 0; i < 2; ++i) {
      idle(here());
      idle(there());
    }
  }

  stage stage_{{.workers = GetParam()}};
  recorder near_sink_;
  recorder far_sink_;
  runtime::transport_ptr near_;
  runtime::transport_ptr far_;
};

} // namespace troupe::test
