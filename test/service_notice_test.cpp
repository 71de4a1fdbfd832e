// The program and those who watch over it: service manager, Prometheus, people who read its settings.
#include "support/child.hpp"
#include "support/raw_client.hpp"
#include "support/scratch_folder.hpp"

#include <troupe/broker/metrics_endpoint.hpp>
#include <troupe/broker/service_notice.hpp>

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <string>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

namespace troupe::brokerage {
namespace {

/// A manager's socket, and the variable that names it.
class manager {
public:
  manager() {
    socket_ = ::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    sockaddr_un at{};
    at.sun_family = AF_UNIX;
    path_.path().copy(at.sun_path, sizeof at.sun_path - 1);
    const timeval most{30, 0};
    EXPECT_EQ(::setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &most, sizeof most), 0);
    EXPECT_EQ(::bind(socket_, reinterpret_cast<const sockaddr*>(&at), sizeof at), 0);
    ::setenv("NOTIFY_SOCKET", path_.path().c_str(), 1);
  }
  ~manager() {
    ::unsetenv("NOTIFY_SOCKET");
    ::close(socket_);
  }
  /// Fails instead of hanging.
  std::string next() const {
    char text[256];
    const auto size = ::recv(socket_, text, sizeof text, 0);
    EXPECT_GE(size, 0) << "nothing came for 30 seconds";
    return size < 0 ? std::string{} : std::string(text, static_cast<std::size_t>(size));
  }

private:
  test::scratch_file path_{"notify"};
  int socket_ = -1;
};

std::string get(int port, const std::string& path) {
  const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in to{};
  to.sin_family = AF_INET;
  to.sin_port = htons(static_cast<std::uint16_t>(port));
  to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  std::string all;
  if (::connect(socket, reinterpret_cast<const sockaddr*>(&to), sizeof to) == 0) {
    const std::string request = "GET " + path + " HTTP/1.0\r\nHost: localhost\r\n\r\n";
    EXPECT_EQ(::send(socket, request.data(), request.size(), MSG_NOSIGNAL),
              static_cast<ssize_t>(request.size()));
    char text[4'096];
    for (ssize_t got = 0; (got = ::recv(socket, text, sizeof text, 0)) > 0;)
      all.append(text, static_cast<std::size_t>(got));
  }
  ::close(socket);
  return all;
}

TEST(service_notice, goes_to_the_socket_that_is_named) {
  EXPECT_FALSE(notify_service("READY=1"));
  ::setenv("NOTIFY_SOCKET", "/no/such/socket", 1);
  EXPECT_FALSE(notify_service("READY=1"));
  ::setenv("NOTIFY_SOCKET", std::string(500, 'x').insert(0, "/").c_str(), 1);
  EXPECT_FALSE(notify_service("READY=1"));
  const manager one;
  EXPECT_TRUE(notify_service("READY=1"));
  EXPECT_EQ(one.next(), "READY=1");
}

TEST(service_notice, of_the_program_tells_its_whole_life) {
  const manager one;
  test::child program{
      {std::string{TROUPE_BIN_DIR} + "/troupe-broker", "--port", "0", "--metrics-address", "127.0.0.1:0"}};
  EXPECT_EQ(one.next(), "READY=1");
  EXPECT_TRUE(program.line().starts_with("listening on mqtt://127.0.0.1:"));
  const std::string line = program.line();
  ASSERT_TRUE(line.starts_with("metrics on http://127.0.0.1:")) << line;
  EXPECT_NE(
      get(std::atoi(line.substr(line.rfind(':') + 1).c_str()), "/metrics").find("troupe_broker_sessions 0"),
      std::string::npos);
  program.signal(SIGHUP);
  EXPECT_TRUE(one.next().starts_with("RELOADING=1\nMONOTONIC_USEC="));
  EXPECT_EQ(one.next(), "READY=1");
  program.signal(SIGTERM);
  EXPECT_EQ(one.next(), "STOPPING=1");
  EXPECT_EQ(program.exit_status(), 0);
}

TEST(metrics_endpoint, answers_the_figures_of_the_moment) {
  stage where;
  broker our{where};
  const auto endpoint = our.listen("mqtt://127.0.0.1:0");
  ASSERT_TRUE(endpoint);
  const auto made = metrics_endpoint::make(our, "127.0.0.1:0");
  ASSERT_TRUE(made);
  const int port = (*made)->port();
  EXPECT_NE(get(port, "/metrics").find("troupe_broker_connections 0"), std::string::npos);
  test::raw_client one{*endpoint};
  one.say_hello();
  one.publish("t", "x");
  one.sync();
  const std::string text = get(port, "/metrics");
  EXPECT_NE(text.find("# TYPE troupe_broker_connections gauge"), std::string::npos) << text;
  EXPECT_NE(text.find("troupe_broker_connections 1"), std::string::npos);
  EXPECT_NE(text.find("# TYPE troupe_broker_messages_received_total counter"), std::string::npos);
  EXPECT_NE(text.find("troupe_broker_messages_received_total 1"), std::string::npos);
  EXPECT_FALSE(metrics_endpoint::make(our, "127.0.0.1:" + std::to_string(port)));
  EXPECT_FALSE(metrics_endpoint::make(our, "nowhere"));
}

TEST(program, prints_the_settings_that_would_hold) {
  test::child program{{std::string{TROUPE_BIN_DIR} + "/troupe-broker", "--print-config", "--max-inflight",
                       "7", "--listener", "mqtt://127.0.0.1:0"}};
  const std::string text = program.output();
  EXPECT_EQ(program.exit_status(), 0);
  EXPECT_NE(text.find("max_inflight = 7\n"), std::string::npos);
  EXPECT_NE(text.find("[[listener]]\n"), std::string::npos);
  test::child wrong{
      {std::string{TROUPE_BIN_DIR} + "/troupe-broker", "--print-config", "--max-inflight", "0"}};
  EXPECT_EQ(wrong.exit_status(), 2);
  test::child helped{{std::string{TROUPE_BIN_DIR} + "/troupe-broker", "--help"}};
  EXPECT_NE(helped.output().find("troupe-broker passwd users ann"), std::string::npos);
  EXPECT_EQ(helped.exit_status(), 0);
}

} // namespace
} // namespace troupe::brokerage
