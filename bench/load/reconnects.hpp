// reconnects: clients that leave and come back while a load goes on.
//
// Lives here: reconnects, and churn, which has clients leave by the clock.
// Holds:   every time is taken from leaving to the answer to CONNECT, and kept in the meter, as are those
//          who are away. A client that is away is not sent away again.
// Threads: cut(), cycle() and churn's construction on outside threads; churn has a thread of its own until
//          stop(). Both outlive the clients, whose workers report to them.
// Units:   nanoseconds of the monotonic clock; clients a second.
#pragma once

#include "load_client.hpp"
#include "load_meter.hpp"

#include <condition_variable>
#include <memory>
#include <mutex>
#include <stop_token>
#include <thread>
#include <vector>

namespace troupe::bench {

class reconnects {
public:
  explicit reconnects(load_meter& meter) noexcept : meter_{meter} {}

  /// The connection is closed without a word, and made again.
  void cut(client& who);
  /// The client says good-bye, and comes again.
  void cycle(client& who);

private:
  void leave(client& who, bool in_order);
  void come_back(client& who, std::int64_t left);

  load_meter& meter_;
};

class churn {
public:
  /// Sends so many of them away a second, in turn.
  churn(double rate, std::vector<load_client*> who, reconnects& how);
  void stop();

private:
  void work(const std::stop_token& end);

  double rate_;
  std::vector<load_client*> who_;
  reconnects& how_;
  std::mutex mutex_;                   // for the wait alone
  std::condition_variable_any next_{}; // nobody tells it; a stop ends its wait
  std::jthread thread_;
};

} // namespace troupe::bench
