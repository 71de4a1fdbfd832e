#include "loopback_side.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace troupe::runtime {

namespace {

/// A segment below this that has its payload behind it is copied together with it.
constexpr std::size_t header_below = protocol::borrow_threshold;
/// Copies are gathered up to this, or to the end of the payload that passes it.
constexpr std::size_t gathered_octets = std::size_t{64} << 10U;

std::error_code reset_by_peer() noexcept { return std::make_error_code(std::errc::connection_reset); }

void destroy_all(loopback_parcel* first) noexcept {
  while (first != nullptr) delete std::exchange(first, first->next);
}

} // namespace

loopback_side::loopback_side(loopback_link& link, const loopback_seat& seat)
    : link_{link},
      home_{seat.where},
      options_{seat.options},
      faults_{seat.faults},
      chance_{seat.faults.seed},
      out_{seat.where.slabs(), borrowing::crowded} {}

loopback_side::~loopback_side() {
  destroy_all(arrived_);
  destroy_all(own_spare_);
  destroy_all(inbox_.take());
  destroy_all(spare_.take());
}

loopback_side& loopback_side::other() const noexcept { return link_.opposite(*this); }

// --- owner: the face --------------------------------------------------------------------------------

void loopback_side::flush_later() noexcept {
  if (phase_ != phase::ended || sink_ != nullptr) home_.flush_later(*this);
}

void loopback_side::start(transport_sink& sink) {
  sink_ = &sink;
  if (phase_ == phase::fresh) phase_ = phase::open;
  flush_later(); // something may have arrived already
}

void loopback_side::resume() noexcept {
  is_paused_ = false;
  if (arrived_ != nullptr || !inbox_.is_empty()) flush_later();
}

void loopback_side::close() {
  if (phase_ == phase::leaving || phase_ == phase::ended) return;
  phase_ = phase::leaving;
  home_.time().arm_in(linger_, options_.linger);
  flush_later();
}

void loopback_side::forget() noexcept {
  sink_ = nullptr;
  end({}, reset_by_peer());
  leave_list(); // from now on the other may be the one who destroys the link, on his thread
}

void loopback_side::end(std::error_code why, std::error_code others_why) noexcept {
  if (phase_ == phase::ended) return;
  phase_ = phase::ended;
  why_ = why;
  linger_.disarm();
  out_.clear();
  drop_arrivals();
  send_last(others_why);
  {
    const std::lock_guard lock{ring_mutex_};
    is_gone_ = true;
  }
  if (sink_ != nullptr) flush_later();
}

void loopback_side::flush() {
  const auto self = link_.shared_from_this(); // the sink may drop the transport
  if (phase_ == phase::ended) return tell();
  receive();
  if (phase_ != phase::ended) send();
}

void loopback_side::tell() {
  if (sink_ != nullptr) std::exchange(sink_, nullptr)->on_closed(why_);
}

void loopback_side::on_linger_over() { end(std::make_error_code(std::errc::timed_out), reset_by_peer()); }

// --- owner: receiving -------------------------------------------------------------------------------

void loopback_side::receive() {
  if (phase_ == phase::leaving) return drop_arrivals();
  while (may_deliver()) {
    if (arrived_ == nullptr) arrived_ = inbox_.take();
    if (arrived_ == nullptr) return;
    std::vector<outbox_segment>& segments = arrived_->segments;
    while (may_deliver() && next_segment_ < segments.size()) hand_over();
    if (phase_ == phase::ended) return; // the sink has ended it, and the parcel is no longer ours
    if (next_segment_ == segments.size()) finish_parcel();
  }
}

void loopback_side::finish_parcel() {
  loopback_parcel& used = *std::exchange(arrived_, arrived_->next);
  next_segment_ = 0;
  const bool is_last = used.is_last;
  const std::error_code why = used.why;
  used.segments.clear();
  other().spare_.push(used);
  if (is_last) end(why, {});
}

/// One call of the sink. What it gets is gone from the parcel before, for the sink may end everything.
void loopback_side::hand_over() {
  outbox_segment& segment = arrived_->segments[next_segment_];
  const std::span<protocol::octet> direct = sink_->wanted();
  if (!direct.empty()) return fill_what_is_wanted(segment, direct);
  if (is_worth_copying(next_segment_)) return hand_over_gathered();
  const protocol::octets bytes = std::exchange(segment.bytes, {});
  ++next_segment_;
  if (!bytes.empty()) sink_->on_read({bytes, std::exchange(segment.owner, {})});
  consumed(bytes.size());
}

void loopback_side::fill_what_is_wanted(outbox_segment& segment, std::span<protocol::octet> direct) {
  const std::size_t count = std::min(direct.size(), segment.bytes.size());
  std::memcpy(direct.data(), segment.bytes.data(), count);
  segment.bytes = segment.bytes.subspan(count);
  if (segment.bytes.empty()) ++next_segment_;
  if (count != 0) sink_->on_filled(count);
  consumed(count);
}

/// What promises no slack behind its end has to be copied; a header goes with its payload, so that the
/// two arrive as one.
bool loopback_side::is_worth_copying(std::size_t index) const noexcept {
  const std::vector<outbox_segment>& segments = arrived_->segments;
  if (!segments[index].is_padded) return true;
  return segments[index].bytes.size() < header_below && index + 1 < segments.size()
         && !segments[index + 1].is_padded && !arrived_->is_cut;
}

/// Where the copy that begins with the next segment ends; never between a header and its payload.
std::size_t loopback_side::end_of_gathering(std::size_t& octets) const noexcept {
  const std::vector<outbox_segment>& segments = arrived_->segments;
  octets = segments[next_segment_].bytes.size();
  std::size_t end = next_segment_ + 1;
  for (; end < segments.size() && !arrived_->is_cut && is_worth_copying(end); ++end) {
    const std::size_t more = segments[end].bytes.size();
    if (!segments[end - 1].is_padded && octets + more > gathered_octets) break;
    octets += more;
  }
  return end;
}

void loopback_side::hand_over_gathered() {
  std::size_t octets = 0;
  const std::size_t end = end_of_gathering(octets);
  slab* const copy = home_.slabs().take(octets);
  protocol::octet* to = copy->data();
  for (; next_segment_ != end; ++next_segment_) {
    outbox_segment& segment = arrived_->segments[next_segment_];
    if (!segment.bytes.empty()) std::memcpy(to, segment.bytes.data(), segment.bytes.size());
    to += segment.bytes.size();
    segment = {};
  }
  protocol::keeper_ref owner = protocol::keeper_ref::adopt(copy);
  if (octets != 0) sink_->on_read({{copy->data(), octets}, std::move(owner)});
  consumed(octets);
}

/// For a side that has ended or is about to: nobody wants to hear any more.
void loopback_side::drop_arrivals() noexcept {
  for (;;) {
    if (arrived_ == nullptr) arrived_ = inbox_.take();
    if (arrived_ == nullptr) return;
    loopback_parcel& unwanted = *std::exchange(arrived_, arrived_->next);
    std::size_t left = 0;
    for (std::size_t i = next_segment_; i < unwanted.segments.size(); ++i)
      left += unwanted.segments[i].bytes.size();
    next_segment_ = 0;
    const bool is_last = unwanted.is_last;
    unwanted.segments.clear();
    other().spare_.push(unwanted);
    consumed(left);
    if (is_last) end({}, {});
  }
}

void loopback_side::consumed(std::size_t count) noexcept {
  const std::size_t left = inside_.fetch_sub(count, std::memory_order_seq_cst) - count;
  if (left <= loopback_window / 2 && other_waits_.load(std::memory_order_seq_cst)
      && other_waits_.exchange(false, std::memory_order_seq_cst))
    other().ring();
}

// --- owner: sending ---------------------------------------------------------------------------------

void loopback_side::send() {
  while (!out_.empty() && !other().is_full_for_now()) {
    loopback_parcel& parcel = blank_parcel();
    was_congested_ = is_congested();
    parcel.octets = out_.move_to(parcel.segments, other().window());
    parcel.is_cut = faults_.largest_piece != 0;
    if (parcel.is_cut) chop(parcel.segments);
    other().deliver(parcel);
    if (out_.empty()) {
      on_relieved();
      break; // what the sink appends now waits for the next idle point
    }
    if (was_congested_ && out_.size() <= options_.low_mark) on_relieved();
  }
  if (phase_ == phase::leaving && out_.empty()) end({}, {});
}

void loopback_side::on_relieved() {
  was_congested_ = false;
  if (phase_ == phase::open && sink_ != nullptr) sink_->on_writable();
}

loopback_parcel& loopback_side::blank_parcel() {
  if (own_spare_ == nullptr) own_spare_ = spare_.take();
  if (own_spare_ == nullptr) return *new loopback_parcel;
  return *std::exchange(own_spare_, own_spare_->next);
}

void loopback_side::send_last(std::error_code why) {
  loopback_parcel& parcel = blank_parcel();
  parcel.octets = 0;
  parcel.is_last = true;
  parcel.why = why;
  other().deliver(parcel);
}

/// Cuts each segment into pieces of random sizes that share its owner.
void loopback_side::chop(std::vector<outbox_segment>& segments) {
  std::vector<outbox_segment> pieces;
  for (const outbox_segment& each : segments)
    for (protocol::octets rest = each.bytes; !rest.empty();) {
      const std::size_t size = std::min<std::size_t>(1 + chance_() % faults_.largest_piece, rest.size());
      pieces.push_back({rest.first(size), each.owner, each.is_padded});
      rest = rest.subspan(size);
    }
  segments.swap(pieces);
}

// --- other ------------------------------------------------------------------------------------------

std::size_t loopback_side::window() const noexcept {
  const std::size_t inside = inside_.load(std::memory_order_seq_cst);
  return inside < loopback_window ? loopback_window - inside : 0;
}

bool loopback_side::is_full_for_now() noexcept {
  if (window() != 0) return false;
  other_waits_.store(true, std::memory_order_seq_cst);
  // The owner lowers, then looks whether somebody waits; we say that we wait, then look again. One of
  // the two sees the other.
  if (window() == 0) return true;
  other_waits_.store(false, std::memory_order_seq_cst);
  return false;
}

void loopback_side::deliver(loopback_parcel& parcel) {
  inside_.fetch_add(parcel.octets, std::memory_order_seq_cst);
  if (inbox_.push(parcel)) ring();
}

void loopback_side::ring() {
  if (home_.is_here()) {
    if (!is_gone_) // written on this thread only
      flush_later();
    return;
  }
  const std::lock_guard lock{ring_mutex_};
  if (!is_gone_) home_.post([link = link_.shared_from_this(), this] { flush_later(); }, wake_cause::loopback);
}

} // namespace troupe::runtime
