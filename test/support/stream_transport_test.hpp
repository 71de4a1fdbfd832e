// stream_transport_test: what tests of transports over sockets begin with.
//
// Lives here: stream_transport_test: two connected transports on one home, over whatever the parameter
//          names. stream_transport_test.cpp says over what; its tests stand in several files.
#pragma once

#include "ends.hpp"
#include "tls/certificates.hpp"

#include <troupe/runtime/acceptor.hpp>
#include <troupe/runtime/dialer.hpp>
#include <troupe/runtime/tls_context.hpp>

#include <gtest/gtest.h>

#include <unistd.h>

#include <future>
#include <memory>
#include <string>

namespace troupe::test {

/// Two connected transports on one home.
class stream_transport_test : public testing::TestWithParam<std::string> {
protected:
  void SetUp() override {
    listen_at_ = GetParam() != "unix" ? GetParam() + "://127.0.0.1:0"
                                      : "unix://@troupe-test-" + std::to_string(::getpid()) + "-"
                                            + std::to_string(reinterpret_cast<std::uintptr_t>(this));
    if (GetParam() != "mqtts" && GetParam() != "wss") return;
    const certifier trusted;
    const credentials server = trusted.issue();
    server_tls_ = *runtime::tls_context::make(
        runtime::tls_role::server,
        {.cert_file = server.certificate, .key_file = server.key, .verify_peer = false});
    client_tls_ = *runtime::tls_context::make(runtime::tls_role::client, {.ca_file = trusted.certificate()});
  }
  void TearDown() override { close_all(); }

  runtime::home& where() { return stage_.inside()[0]; }

  void connect(runtime::transport_options options = {}) {
    std::promise<void> arrived;
    std::promise<std::error_code> answered;
    runtime::acceptor listener{where(), {.pipe = options, .tls = server_tls_}};
    auto bound = listener.listen(*runtime::parse_endpoint(listen_at_),
                                 [&](runtime::home&, runtime::transport_ptr came) {
                                   far_ = std::move(came);
                                   arrived.set_value();
                                 });
    ASSERT_TRUE(bound) << bound.error().message();
    auto caller = at(where(), [&] {
      return std::make_unique<runtime::dialer>(where(),
                                               runtime::dial_options{.pipe = options, .tls = client_tls_});
    });
    at(where(), [&] {
      caller->dial(*bound, [&](protocol::result<runtime::transport_ptr> got) {
        if (got) near_ = std::move(*got);
        answered.set_value(got.error());
      });
    });
    const auto error = answered.get_future().get();
    ASSERT_FALSE(error) << error.message();
    arrived.get_future().get();
    std::promise<void> closed;
    listener.close([&] { closed.set_value(); });
    closed.get_future().get();
    at(where(), [&] { caller.reset(); });
  }
  void start() {
    at(where(), [&] {
      near_->start(near_sink_);
      far_->start(far_sink_);
    });
  }
  void close_all() {
    at(where(), [&] {
      near_.reset();
      far_.reset();
    });
  }
  void let_run() { idle(where()); }

  stage stage_{{.workers = 1}};
  std::string listen_at_;
  std::shared_ptr<const runtime::tls_context> server_tls_;
  std::shared_ptr<const runtime::tls_context> client_tls_;
  recorder near_sink_;
  recorder far_sink_;
  runtime::transport_ptr near_;
  runtime::transport_ptr far_;
};

} // namespace troupe::test
