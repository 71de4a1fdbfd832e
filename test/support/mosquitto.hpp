// mosquitto: somebody else's broker, started by a test, with everything it keeps in a folder of its own.
//
// Lives here: mosquitto.
// Holds:   its port is the system's choice and stays this object's own, also while the program is
//          stopped. start() returns when the program takes connections, stop() when it has ended and
//          written down what it keeps. The folder goes with the object.
// Errors:  fail the test.
#pragma once

#include "child.hpp"
#include "port_holder.hpp"
#include "scratch_folder.hpp"

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
    std::ofstream{file("conf")} << "listener " << port_.port() << " 127.0.0.1\n"
                                << "user root\n" // or it could not write here; heeded if we are root
                                << "persistence true\npersistence_location " << folder_.path() << "/\n"
                                << "max_queued_messages 0\nlog_dest stderr\nlog_type error\n"
                                << more;
    start();
  }
  mosquitto(const mosquitto&) = delete;
  mosquitto& operator=(const mosquitto&) = delete;

  std::string url() const { return port_.url(); }

  void start() {
    running_.emplace(std::vector<std::string>{program(), "-c", file("conf")});
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
  std::string file(const std::string& ending) const { return folder_.file("mosquitto." + ending); }
  /// Debian keeps it where only the superuser's PATH looks.
  static std::string program() {
    return std::filesystem::exists("/usr/sbin/mosquitto") ? "/usr/sbin/mosquitto" : "mosquitto";
  }
  bool takes_connections() const {
    const int probe = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const sockaddr_in where = port_.address();
    const bool is_taken = ::connect(probe, reinterpret_cast<const sockaddr*>(&where), sizeof where) == 0;
    ::close(probe);
    return is_taken;
  }

  scratch_folder folder_;
  port_holder port_{-1};
  std::optional<child> running_;
};

} // namespace troupe::test
