// loopback_side: one of the two ends of a loopback, and the link that holds both.
//
// Lives here: loopback_parcel, loopback_side, loopback_link.
// Holds:   the states of a side are those of a socket:
//
//     fresh --start--> open --close--> leaving --all handed over--> ended
//                        \________________\_______abort, the other's end_______/
//
//          What arrives lies in `inbox_` until the owner's idle point; while he is paused, it stays there
//          and counts against the window.
// Threads: each member says whose it is; "owner" is the thread of the side's home, "other" the thread
//          of the other side's.
// Units:   octets.
#pragma once

#include "handoff.hpp"
#include "home.hpp"
#include "loopback_transport.hpp"
#include "slab_outbox.hpp"

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <random>
#include <string>
#include <vector>

namespace troupe::runtime {

class loopback_link;

/// What passes from one side to the other in one step.
struct loopback_parcel {
  loopback_parcel* next = nullptr;
  std::vector<outbox_segment> segments;
  std::size_t octets = 0;
  bool is_cut = false;   // by the faults of the sender: the pieces are to be felt
  bool is_last = false;  // the sender has ended
  std::error_code why{}; // with is_last
};

class loopback_side final : public flushable {
public:
  loopback_side(loopback_link& link, const loopback_seat& seat);
  ~loopback_side();

  // Owner.
  void start(transport_sink& sink);
  slab_outbox& out() noexcept { return out_; }
  slab_pool& memory() noexcept { return home_.slabs(); }
  void flush_later() noexcept;
  std::size_t backlog() const noexcept { return out_.size(); }
  bool is_congested() const noexcept { return was_congested_ || out_.size() > options_.high_mark; }
  void pause() noexcept { is_paused_ = true; }
  void resume() noexcept;
  void close();
  /// Ends it now; the sink is told at the next idle point.
  void end(std::error_code why, std::error_code others_why) noexcept;
  /// The sink is gone.
  void forget() noexcept;
  void flush() override;

  // Other.
  /// Octets that still fit between the ends.
  std::size_t window() const noexcept;
  /// `parcel` has to be taken back by take_spare().
  void deliver(loopback_parcel& parcel);
  /// True: there is no window now, and the other will be rung when there is.
  bool is_full_for_now() noexcept;
  /// Sees to it that flush() is called.
  void ring();

private:
  enum class phase : std::uint8_t { fresh, open, leaving, ended };

  loopback_side& other() const noexcept;
  bool may_deliver() const noexcept { return phase_ == phase::open && !is_paused_; }
  void receive();
  void hand_over();
  void fill_what_is_wanted(outbox_segment& segment, std::span<protocol::octet> direct);
  void hand_over_gathered();
  bool is_worth_copying(std::size_t index) const noexcept;
  std::size_t end_of_gathering(std::size_t& octets) const noexcept;
  void drop_arrivals() noexcept;
  void consumed(std::size_t count) noexcept;
  void finish_parcel();
  void send();
  loopback_parcel& blank_parcel();
  void send_last(std::error_code why);
  void chop(std::vector<outbox_segment>& segments);
  void on_relieved();
  void on_linger_over();
  void tell();

  loopback_link& link_;
  home& home_;

  // Owner.
  transport_options options_;
  loopback_faults faults_;
  std::mt19937_64 chance_;
  slab_outbox out_;
  transport_sink* sink_ = nullptr;
  loopback_parcel* arrived_ = nullptr; // oldest first; taken from inbox_, not yet used up
  std::size_t next_segment_ = 0;       // of arrived_
  deadline linger_{calls<&loopback_side::on_linger_over>, *this};
  std::error_code why_;
  phase phase_ = phase::fresh;
  bool is_paused_ = false;
  bool was_congested_ = false;

  // Both.
  handoff<loopback_parcel> inbox_;       // other pushes, owner takes
  handoff<loopback_parcel> spare_;       // used up by the other, taken by the owner for his next parcels
  loopback_parcel* own_spare_ = nullptr; // owner
  std::atomic<std::size_t> inside_{0};   // raised by other, lowered by owner: octets not yet consumed
  std::atomic<bool> other_waits_{false}; // set by other when he finds no window, cleared by owner
  std::mutex ring_mutex_;                // taken once per wake-up of another home, which may end at any time
  bool is_gone_ = false;                 // written by owner under ring_mutex_: ring() does nothing
};

class loopback_link : public std::enable_shared_from_this<loopback_link> {
public:
  loopback_link(const loopback_seat& first, const loopback_seat& second, std::string name)
      : sides_{{*this, first}, {*this, second}}, name_{std::move(name)} {}

  loopback_side& side(std::size_t index) noexcept { return sides_[index]; }
  loopback_side& opposite(const loopback_side& of) noexcept { return sides_[&of == &sides_[0] ? 1 : 0]; }
  const std::string& name() const noexcept { return name_; }

private:
  loopback_side sides_[2];
  std::string name_;
};

} // namespace troupe::runtime
