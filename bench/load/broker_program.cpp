#include "broker_program.hpp"

#include "child_process.hpp"
#include "loopback_socket.hpp"

#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <vector>

namespace troupe::bench {
namespace {

/// Where Debian puts it is not in everybody's path.
std::string mosquitto() {
  const char* own = "/usr/sbin/mosquitto";
  return ::access(own, X_OK) == 0 ? own : "mosquitto";
}

/// A program beside this one.
std::string sibling(const char* name) {
  return (std::filesystem::path{own_program()}.parent_path() / name).string();
}

std::uint16_t port_in(const std::string& greeting) {
  const auto colon = greeting.rfind(':');
  return colon == std::string::npos
             ? std::uint16_t{0}
             : static_cast<std::uint16_t>(std::strtoul(&greeting[colon + 1], nullptr, 10));
}

} // namespace

std::string_view name(broker_kind kind) noexcept {
  switch (kind) {
  case broker_kind::mosquitto:
  case broker_kind::mosquitto_uncapped: return "mosquitto";
  case broker_kind::troupe: return "troupe-broker";
  case broker_kind::bare: return "bare epoll forwarder";
  }
  return {};
}

broker_program::broker_program(broker_kind kind) {
  if (kind == broker_kind::bare || kind == broker_kind::troupe) {
    kind == broker_kind::bare ? process_.emplace(std::vector<std::string>{own_program(), "null-broker"})
                              : process_.emplace(std::vector<std::string>{sibling("troupe-broker"), "--port",
                                                                          "0", "--host", "127.0.0.1"});
    port_ = port_in(process_->first_line());
    if (port_ == 0) failure_ = std::string{name(kind)} + " did not start";
    return;
  }
  port_ = free_port();
  std::string text = "listener " + std::to_string(port_)
                     + " 127.0.0.1\nallow_anonymous true\npersistence false\n"
                       "log_dest stderr\nlog_type information\nset_tcp_nodelay true\n";
  if (kind == broker_kind::mosquitto_uncapped) text += "max_inflight_messages 0\nmax_queued_messages 0\n";
  settings_.emplace("mosquitto", text);
  process_.emplace(std::vector<std::string>{mosquitto(), "-c", settings_->name()}, child_errors::collected);
  // Its last word before it serves; of what comes later it only tells how it ends.
  if (!process_->says(" running", std::chrono::seconds{10}))
    failure_ = "mosquitto did not start; is it installed (Debian: mosquitto)?";
}

} // namespace troupe::bench
