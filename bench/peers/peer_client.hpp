// peer_client: one client of any library, asked to do the same as all the others.
//
// Lives here: peer_address, peer_client, make_peer(), peer_names().
// Holds:   connect() and subscribe() answer when the broker has. publish() starts one and returns; ended()
//          goes up when the library calls it done: handed to the socket at QoS 0, acknowledged at QoS 1,
//          completed at QoS 2. received() goes up when the library calls the user with a message. Every
//          library runs the thread of its own that it recommends for this.
// Threads: one outside thread; counts are written by the library's.
// Errors:  false from connect(), subscribe() and publish(); make_peer() is null for what was not built in.
// Costs:   an atomic addition and a comparison a message, the same for all.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <semaphore>
#include <string>
#include <string_view>
#include <vector>

namespace troupe::bench {

struct peer_address {
  std::string host = "127.0.0.1";
  std::uint16_t port = 1883;
  std::string client_id{};
  /// As many unacknowledged messages as the broker takes; false: what the library does by itself.
  bool is_uncapped = true;
};

class peer_client {
public:
  virtual ~peer_client() = default;

  virtual bool connect(const peer_address& where) = 0;
  virtual bool subscribe(const std::string& topic, int quality) = 0;
  virtual bool publish(const std::string& topic, std::string_view payload, int quality) = 0;

  std::uint64_t ended() const noexcept { return ended_.now(); }
  std::uint64_t failed() const noexcept { return failed_.load(std::memory_order_acquire); }
  std::uint64_t received() const noexcept { return received_.now(); }
  /// Until so many have ended, well or not.
  void wait_for_ends(std::uint64_t count) { ended_.wait(count); }
  void wait_for_receipts(std::uint64_t count) { received_.wait(count); }

protected:
  void count_end(bool is_well) noexcept {
    if (!is_well) failed_.fetch_add(1, std::memory_order_release);
    ended_.raise();
  }
  void count_receipt() noexcept { received_.raise(); }

private:
  /// Wakes who waits once, when the count is reached, and not for every message on the way.
  class counter {
  public:
    std::uint64_t now() const noexcept { return count_.load(std::memory_order_acquire); }
    void raise() noexcept {
      if (count_.fetch_add(1, std::memory_order_seq_cst) + 1 == wanted_.load(std::memory_order_seq_cst))
        reached_.release();
    }
    void wait(std::uint64_t count) {
      wanted_.store(count, std::memory_order_seq_cst);
      // Either this sees the count reached, or who reaches it sees that it is wanted.
      while (count_.load(std::memory_order_seq_cst) < count) reached_.acquire();
    }

  private:
    std::atomic<std::uint64_t> count_{0};
    std::atomic<std::uint64_t> wanted_{UINT64_MAX};
    std::counting_semaphore<> reached_{0};
  };

  counter ended_;
  counter received_;
  std::atomic<std::uint64_t> failed_{0};
};

/// "troupe", "libmosquitto" or "paho".
std::unique_ptr<peer_client> make_peer(std::string_view name);
/// Those that were built in, ours first.
std::vector<std::string> peer_names();

namespace peers {
std::unique_ptr<peer_client> make_troupe();
std::unique_ptr<peer_client> make_mosquitto(); // null when it was not built in
std::unique_ptr<peer_client> make_paho();
} // namespace peers

} // namespace troupe::bench
