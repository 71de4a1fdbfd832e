// load_publisher: one client that publishes, as long as the gate lets it.
//
// Lives here: load_publisher.
// Holds:   closed loop: at most `window` messages are in flight; one is in flight until its outcome is
//          known and, where this process receives as well, until every subscriber has got it. Open loop:
//          send_due() is told when. Message n carries the number n.
// Threads: pump() any, also several at once: one of them works, the others have it look again.
//          send_due() one outside thread, and then nobody calls pump().
// Costs:   no allocation and no lock a message.
#pragma once

#include "load_client.hpp"
#include "load_meter.hpp"

#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

namespace troupe::bench {

struct publisher_options {
  std::uint32_t number = 0;
  std::string topic{};
  std::string reply_to{};   // response topic; empty: none
  std::uint32_t copies = 0; // receipts of each message by this process
  std::uint64_t limit = 0;  // of this publisher alone; 0: none
};

class load_publisher {
public:
  load_publisher(const load_plan& plan, publisher_options options, load_client& by, load_gate& gate,
                 load_meter& meter, std::uint32_t mark);

  /// The closed loop begins, on the client's worker.
  void start();
  /// Sends what the window has room for.
  void pump() noexcept;
  /// Sends one that was due then, if the gate lets it pass; false: it does not, or the client is gone.
  bool send_due(std::int64_t due) noexcept;
  /// Whether the window, if there is one, has room for one that is due.
  bool has_room_for_due() const noexcept { return plan_.window == 0 || issued() - ended() < plan_.window; }
  /// A subscriber of this process has received one of ours.
  void on_receipt() noexcept;
  /// Publishes nothing, retained, to every topic that was published to.
  void clear_retained();
  /// What was not received until now never will be.
  void forgive() noexcept;

  std::uint64_t issued() const noexcept { return issued_.load(std::memory_order_acquire); }
  std::uint64_t ended() const noexcept { return ended_.load(std::memory_order_acquire); }
  std::uint64_t receipts() const noexcept { return receipts_.load(std::memory_order_acquire); }
  std::uint32_t copies() const noexcept { return options_.copies; }
  std::uint64_t failed() const noexcept { return failed_.load(std::memory_order_acquire); }
  /// Its connection is gone; nothing more will come of it.
  bool is_broken() const noexcept { return is_broken_.load(std::memory_order_acquire); }
  /// Nobody is in pump().
  bool is_idle() const noexcept { return calls_.load(std::memory_order_seq_cst) == 0; }
  /// Nothing more will be sent by this one.
  bool is_done() const noexcept { return is_broken() || (options_.limit != 0 && issued() >= options_.limit); }
  /// Its client did not come up.
  void give_up() noexcept { is_broken_.store(true, std::memory_order_release); }
  load_client& by() noexcept { return by_; }

private:
  bool has_room() const noexcept;
  bool is_open() noexcept;
  void send(std::int64_t due);
  const std::string& topic_of(std::uint64_t number);
  void on_end(const outcome& how, std::int64_t due, std::int64_t sent) noexcept;

  const load_plan& plan_;
  publisher_options options_;
  load_client& by_;
  load_gate& gate_;
  load_meter& meter_;
  std::uint32_t mark_;
  std::vector<protocol::octet> payload_;
  protocol::property_block properties_;
  std::size_t mark_place_; // of the message's number in the topic
  std::string numbered_topic_{};
  bool is_closed_loop_;
  alignas(64) std::atomic<std::uint32_t> calls_{0}; // of pump(), not yet answered
  std::atomic<std::uint64_t> issued_{0};            // whoever pumps
  alignas(64) std::atomic<std::uint64_t> ended_{0};
  std::atomic<std::uint64_t> receipts_{0};
  std::atomic<std::uint64_t> forgiven_{0}; // receipts that are not waited for any more
  std::atomic<std::uint64_t> failed_{0};
  std::atomic<bool> is_broken_{false};
};

} // namespace troupe::bench
