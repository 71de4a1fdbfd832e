// mosquitto: somebody else's broker, started by a test, with everything it keeps in a folder of its own.
//
// Lives here: mosquitto.
// Holds:   its port is the system's choice and stays this object's own, also while the program is
//          stopped. start() returns when the program takes connections, stop() when it has ended and
//          written down what it keeps. The folder goes with the object.
// Errors:  fail the test.
#pragma once

#include "support/child.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <string_view>
#include <thread>

namespace troupe::test {

class mosquitto {
public:
  /// `more` are further lines of its configuration; "allow_anonymous true" is said unless they say else.
  explicit mosquitto(std::string_view more = "allow_anonymous true\n") {
    std::string name = (std::filesystem::temp_directory_path() / "troupe-mosquitto-XXXXXX").string();
    EXPECT_NE(::mkdtemp(name.data()), nullptr);
    folder_ = name;
    hold_port();
    std::ofstream{file("conf")} << "listener " << port_ << " 127.0.0.1\n"
                                << "user root\n" // or it could not write here; heeded if we are root
                                << "persistence true\npersistence_location " << folder_.string() << "/\n"
                                << "max_queued_messages 0\nlog_dest stderr\nlog_type error\n"
                                << more;
    start();
  }
  ~mosquitto() {
    running_.reset();
    ::close(socket_);
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }
  mosquitto(const mosquitto&) = delete;
  mosquitto& operator=(const mosquitto&) = delete;

  std::string url() const { return "mqtt://127.0.0.1:" + std::to_string(port_); }

  void start() {
    running_.emplace(std::vector<std::string>{program(), "-c", file("conf").string()});
    ASSERT_TRUE(running_->is_started());
    while (!takes_connections()) {
      ASSERT_TRUE(running_->is_running()) << "mosquitto ended early";
      std::this_thread::yield();
    }
  }
  /// As its service manager would: what it must remember is written down.
  void stop() {
    running_->signal(SIGTERM);
    EXPECT_EQ(running_->exit_status(), 0);
    running_.reset();
  }
  /// While it is stopped: it starts again as if it had never run.
  void forget() const { std::filesystem::remove(file("db")); }

private:
  std::filesystem::path file(const char* ending) const {
    return folder_ / (std::string{"mosquitto."} + ending);
  }
  /// Debian keeps it where only the superuser's PATH looks.
  static std::string program() {
    return std::filesystem::exists("/usr/sbin/mosquitto") ? "/usr/sbin/mosquitto" : "mosquitto";
  }
  sockaddr_in address() const {
    sockaddr_in where{};
    where.sin_family = AF_INET;
    where.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    where.sin_port = htons(port_);
    return where;
  }
  /// A bound socket that never listens: the system gives the port to nobody else, but lets those have it
  /// who ask for it by name and share addresses, as mosquitto does.
  void hold_port() {
    socket_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const int on = 1;
    ::setsockopt(socket_, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    sockaddr_in where = address();
    socklen_t size = sizeof where;
    auto* const raw = reinterpret_cast<sockaddr*>(&where);
    EXPECT_EQ(::bind(socket_, raw, size), 0);
    EXPECT_EQ(::getsockname(socket_, raw, &size), 0);
    port_ = ntohs(where.sin_port);
  }
  bool takes_connections() const {
    const int probe = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const sockaddr_in where = address();
    const bool is_taken = ::connect(probe, reinterpret_cast<const sockaddr*>(&where), sizeof where) == 0;
    ::close(probe);
    return is_taken;
  }

  std::filesystem::path folder_;
  int socket_ = -1;
  std::uint16_t port_ = 0;
  std::optional<child> running_;
};

} // namespace troupe::test
