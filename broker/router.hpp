// router: from one publish to everybody who wants it.
//
// Lives here: router: routes of publishers, runs of packets that pass through unchanged, the hand-over to
//          other shards, to $share groups and to retained.
// Holds:   order from one publisher to one subscriber. Consecutive QoS 0 packets of one topic that need
//          no change are gathered while one read lasts, and handed on as the octets that came in.
// Threads: belongs to one shard.
// Errors:  a publish may be refused by `may` with a reason code.
// Costs:   a packet of a run: one comparison of where its topic stands. A run: one copy, or one reference, per
//          subscriber; one message per shard.
#pragma once

#include "packing.hpp"
#include "routing_messages.hpp"
#include "session_table.hpp"
#include "subscriptions.hpp"
#include "workshop.hpp"

#include "../protocol/action.hpp"

#include <algorithm>
#include <string_view>
#include <vector>

namespace troupe::brokerage {

class group_table;
class peer;

class router {
public:
  router(workshop& shop, shard_host& host, subscriptions& wishes, session_table& sessions,
         group_table& groups, shard_number self, shard_number shards);

  /// A PUBLISH of a connected peer. `whole` is what came in, kept by `owner`.
  protocol::publish_verdict publish(peer& from, const protocol::publish& packet, protocol::octets whole,
                                    bool is_same, protocol::keeper* owner) {
    shop_.counts.messages_received.add();
    return is_same && prolong(from, packet, whole) ? protocol::publish_verdict{}
                                                   : publish_anew(from, packet, whole, is_same, owner);
  }
  /// Packets of `size` octets each that are like the one before of this peer and came right behind it. False:
  /// that one was not gathered, and nothing happened.
  bool prolong_by(const peer& from, protocol::octets packets, std::size_t size) noexcept {
    if (run_.way == nullptr || run_.end != packets.data() || run_.publisher != &from) return false;
    const std::size_t count = packets.size() / size;
    shop_.counts.messages_received.add(count);
    run_.end += packets.size();
    run_.count += static_cast<std::uint32_t>(count);
    return true;
  }
  /// Whether the last packet of `from` was gathered.
  bool gathers(const peer& from) const noexcept { return run_.way != nullptr && run_.publisher == &from; }
  /// Hands on what was gathered. Before anything changes who gets what, and at the end of each read.
  void flush_run();

  /// A message of the broker itself: a will, or what the application says. `owner` may keep its payload.
  void publish_own(const protocol::publish& packet, protocol::keeper* owner, session_number from);
  /// What another shard sent.
  void on_run(const publish_run& run);
  void on_shared(const shared_delivery& what);
  /// Gives one message to a member of a group that this shard owns.
  void hand_to_group(shared_group& group, onward& message, session_number except = 0);
  /// Readies a run for another shard.
  void promise(publish_run& run);
  /// A message as octets that another shard may keep.
  publish_run pack(const protocol::publish& packet, session_number from, protocol::time_point received) {
    return packer_.pack(packet, from, received);
  }

private:
  // Octets of one read that wait to be handed on.
  struct gathered {
    const route* way = nullptr; // null: nothing waits
    const peer* publisher = nullptr;
    const char* topic = nullptr; // where the topic of the first packet stands
    const protocol::octet* begin = nullptr;
    const protocol::octet* end = nullptr;
    protocol::keeper* owner = nullptr; // held by the read that is going on
    session_number from = 0;
    protocol::version form{};
    std::uint32_t count = 0;
    std::uint32_t largest = 0;
  };

  const route& way_of(peer& from, std::string_view topic);
  bool prolong(const peer& from, const protocol::publish& packet, protocol::octets whole) noexcept;
  bool gather(const peer& from, const route& way, std::string_view topic, protocol::octets whole,
              protocol::keeper* owner);
  protocol::publish_verdict publish_anew(peer& from, const protocol::publish& packet, protocol::octets whole,
                                         bool is_same, protocol::keeper* owner);
  protocol::publish_verdict publish_alone(peer& from, const protocol::publish& packet, const route& way,
                                          protocol::octets whole, bool is_same, protocol::keeper* owner);
  protocol::publish_verdict refuse(protocol::reason_code why);
  void pass_on(const route& way, const publish_run& run);
  void hand_out(const route& way, onward& message);
  void set_retained(onward& message, const stamp& when);
  void write_retained(const onward& message, const stamp& when);
  void post(std::uint64_t shards, const publish_run& run);
  std::uint64_t others() const noexcept;

  workshop& shop_;
  shard_host& host_;
  subscriptions& wishes_;
  session_table& sessions_;
  group_table& groups_;
  shard_number self_;
  shard_number shards_;
  gathered run_{};
  packer packer_{};
  std::vector<protocol::octet> without_alias_{}; // the properties of the one message that is handed out
};

/// What lies right behind the run, with its topic in the same place, came in the same read from the same
/// peer: whatever was judged of the run holds for it, too. False: nothing happened.
inline bool router::prolong(const peer& from, const protocol::publish& packet,
                            protocol::octets whole) noexcept {
  const bool goes_on = run_.way != nullptr && run_.end == whole.data() && run_.topic == packet.topic.data()
                       && run_.publisher == &from && packet.quality == protocol::qos::at_most_once
                       && !packet.retain;
  if (!goes_on) return false;
  run_.end += whole.size();
  ++run_.count;
  run_.largest = std::max(run_.largest, static_cast<std::uint32_t>(whole.size()));
  return true;
}

} // namespace troupe::brokerage
