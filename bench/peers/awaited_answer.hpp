// awaited_answer: what a broker says to a request, told by a library's thread to the one who asked.
//
// Lives here: awaited_answer.
// Threads: expect() and is_good() who asks, one request at a time; tell() any.
#pragma once

#include <atomic>

namespace troupe::bench::peers {

class awaited_answer {
public:
  /// Before the request.
  void expect() noexcept { how_.store(none); }
  void tell(bool is_good) noexcept {
    how_.store(is_good ? good : bad);
    how_.notify_all();
  }
  /// Waits for it.
  bool is_good() const noexcept {
    how_.wait(none);
    return how_.load() == good;
  }

private:
  enum : int { none, good, bad };
  std::atomic<int> how_{none};
};

} // namespace troupe::bench::peers
