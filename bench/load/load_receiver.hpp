// load_receiver: one subscriber of a load: counts, times and checks what comes. load_responder: one that
// answers instead.
//
// Lives here: load_receiver, load_responder, receiver_faults.
// Holds:   a message is of this run when its stamp names one of our publishers; of all others only the
//          count is kept. In a shared subscription numbers are not checked: the group's members see parts.
// Threads: take() on the client's worker; faults() when nothing comes any more.
// Costs:   no allocation and no lock a message.
#pragma once

#include "flow_check.hpp"
#include "load_publisher.hpp"

#include <chrono>
#include <cstdint>
#include <memory>
#include <span>
#include <stop_token>
#include <vector>

namespace troupe::bench {

struct receiver_faults {
  std::uint64_t lost = 0;
  std::uint64_t duplicated = 0;
  std::uint64_t reordered = 0;
};

using publisher_list = std::vector<std::unique_ptr<load_publisher>>;

class load_receiver {
public:
  /// `publishers` may still be empty now; it is complete before the first message.
  load_receiver(const load_plan& plan, const publisher_list& publishers, load_meter& meter,
                std::uint32_t mark);

  void take(const message& m) noexcept;
  /// It takes `pause` for each message, on a thread where it may; no longer than until `end`.
  void take_slowly(const message& m, std::chrono::milliseconds pause, const std::stop_token& end) noexcept;
  /// So many messages wait for it; from now on counts how long they take.
  void await_stored(std::uint64_t count) noexcept;
  /// Of the messages that the publishers of these numbers have sent.
  receiver_faults faults(std::span<const std::uint32_t> from) const;

private:
  bool is_sound(protocol::octets payload) const noexcept;

  const load_plan& plan_;
  const publisher_list& publishers_;
  load_meter& meter_;
  std::uint32_t mark_;
  void note_time(const message_stamp& stamp) noexcept;
  void count_stored() noexcept;

  std::int64_t stored_since_ = 0; // written before the first of them comes
  std::uint64_t stored_ = 0;      // how many there are
  std::uint64_t stored_got_ = 0;
  std::vector<flow_check> flows_;         // by publisher, with --verify
  std::vector<protocol::octet> expected_; // a payload, but for its stamp
};

class load_responder {
public:
  load_responder(const load_plan& plan, load_client& by, load_meter& meter)
      : plan_{plan}, by_{by}, meter_{meter} {}
  void take(const message& m) noexcept;

private:
  const load_plan& plan_;
  load_client& by_;
  load_meter& meter_;
  protocol::property_block properties_;
};

} // namespace troupe::bench
