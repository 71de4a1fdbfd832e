// broker_program: a broker in a process of its own: mosquitto, ours, or the bare one.
//
// Lives here: broker_kind, broker_program.
// Holds:   it listens at 127.0.0.1, takes everybody, keeps nothing on disk, and ends with this object.
// Threads: one.
// Errors:  failure() in words; empty: clients may come.
#pragma once

#include "background_process.hpp"
#include "scratch_file.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace troupe::bench {

enum class broker_kind : std::uint8_t {
  mosquitto,          // as it comes: twenty messages in flight for a client
  mosquitto_uncapped, // as many as 5.0 allows, and no bound of what waits
  troupe,
  bare,
};

std::string_view name(broker_kind kind) noexcept;

class broker_program {
public:
  explicit broker_program(broker_kind kind);

  const std::string& failure() const noexcept { return failure_; }
  std::uint16_t port() const noexcept { return port_; }
  process_usage usage() const { return process_->usage(); }

private:
  std::optional<scratch_file> settings_{};
  std::optional<background_process> process_{};
  std::uint16_t port_ = 0;
  std::string failure_{};
};

} // namespace troupe::bench
