// greeter: a stream whose layers have yet to greet their peers -> the same stream, ready.
//
// Lives here: greeter.
// Holds:   answers once, never from inside begin(); not at all after give_up(). Whoever is silent for
//          longer than the limit has failed.
// Threads: the home's.
// Errors:  what a layer says; std::errc::timed_out.
#pragma once

#include "clock.hpp"
#include "octet_stream.hpp"

#include "../protocol/result.hpp"

#include <chrono>
#include <functional>
#include <memory>

namespace troupe::runtime {

class home;

class greeter final : public readiness_watcher, public std::enable_shared_from_this<greeter> {
public:
  using answer = std::function<void(protocol::result<std::unique_ptr<octet_stream>>)>;

  /// `limit` of 0: the caller watches the time.
  static std::shared_ptr<greeter> begin(home& where, std::unique_ptr<octet_stream> stream,
                                        std::chrono::milliseconds limit, answer done);
  greeter(home& where, std::unique_ptr<octet_stream> stream, answer done);
  greeter(const greeter&) = delete;
  greeter& operator=(const greeter&) = delete;
  ~greeter();

  /// Closes the stream; nothing is answered any more.
  void give_up() noexcept;
  void on_ready(readiness which) override;

private:
  void on_late();
  void finish(std::error_code why);

  home& home_;
  std::unique_ptr<octet_stream> stream_;
  answer done_; // empty: it is over
  deadline late_{calls<&greeter::on_late>, *this};
};

} // namespace troupe::runtime
