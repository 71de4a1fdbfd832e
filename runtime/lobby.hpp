// lobby: accepted streams that have yet to greet -> transports.
//
// Lives here: lobby.
// Holds:   at most `most` peers greet at a time; one more is turned away, and counted. Who fails to greet,
//          or is late, is closed and counted. After close() nobody comes out, and all who are inside are
//          closed.
// Threads: enter on the stream's home; close on any.
#pragma once

#include "counters.hpp"
#include "greeter.hpp"

#include <chrono>
#include <cstddef>
#include <memory>
#include <mutex>
#include <unordered_map>

namespace troupe::runtime {

class lobby : public std::enable_shared_from_this<lobby> {
public:
  /// On the stream's home.
  using arrival = std::function<void(home&, std::unique_ptr<octet_stream>)>;

  /// `lost` counts those who never came out.
  lobby(std::size_t most, std::chrono::milliseconds limit, std::shared_ptr<tally> lost, arrival arrive)
      : most_{most}, limit_{limit}, lost_{std::move(lost)}, arrive_{std::move(arrive)} {}

  void enter(home& where, std::unique_ptr<octet_stream> stream);
  void close() noexcept;

private:
  struct guest {
    home* where = nullptr;
    std::shared_ptr<greeter> greets{};
  };

  void leave(home& where, std::uint64_t number, protocol::result<std::unique_ptr<octet_stream>> how);

  const std::size_t most_;
  const std::chrono::milliseconds limit_;
  const std::shared_ptr<tally> lost_;
  const arrival arrive_;
  std::mutex mutex_;
  std::unordered_map<std::uint64_t, guest> guests_; // under mutex_
  std::uint64_t next_ = 0;                          // under mutex_
  bool is_closed_ = false;                          // under mutex_
};

} // namespace troupe::runtime
