#include "framer.hpp"

#include "wire_writer.hpp"

#include <atomic>
#include <bit>
#include <new>

namespace troupe::protocol {

namespace {

constexpr errc fine{};

using detail::opening;

/// Above this, spare buffers are not kept beyond one.
constexpr std::size_t spare_octets = 4U << 20U;
constexpr unsigned spare_buffers = 16;
/// After so many inputs without a crossing frame the spare buffers go.
constexpr octet quiet_enough = 32;

constexpr std::size_t smallest_buffer = 256;

/// Sizes are rounded so that one buffer serves frames of about one size; large ones are exact
/// enough not to be doubled by a peer's claim.
constexpr std::size_t rounded(std::size_t size) noexcept {
  if (size <= smallest_buffer) return smallest_buffer;
  const std::size_t step = std::bit_floor(size) / 4;
  return (size + step - 1) / step * step;
}

} // namespace

/// Memory of one frame that crossed inputs; counted atomically, since messages in it may be kept by
/// other threads.
class framer::buffer final : public keeper {
public:
  static buffer* make(std::size_t capacity) noexcept {
    void* memory = ::operator new(sizeof(buffer) + capacity + read_slack, std::nothrow);
    if (memory == nullptr) return nullptr;
    auto* made = new (memory) buffer{capacity};
    std::memset(made->data() + capacity, 0, read_slack);
    return made;
  }
  void retain(std::uint32_t count) noexcept override { count_.fetch_add(count, std::memory_order_relaxed); }
  void release(std::uint32_t count) noexcept override {
    if (count_.fetch_sub(count, std::memory_order_acq_rel) == count) {
      this->~buffer();
      ::operator delete(static_cast<void*>(this));
    }
  }
  bool is_unshared() const noexcept { return count_.load(std::memory_order_acquire) == 1; }
  octet* data() noexcept { return reinterpret_cast<octet*>(this + 1); }
  const octet* data() const noexcept { return reinterpret_cast<const octet*>(this + 1); }
  std::size_t capacity() const noexcept { return capacity_; }

  buffer* next = nullptr; // in the framer's list; touched by its thread only

private:
  explicit buffer(std::size_t capacity) noexcept : capacity_{capacity} {}
  std::atomic<std::uint32_t> count_{1};
  std::size_t capacity_;
};

struct framer::header {
  std::uint32_t body_at = 0; // octets of type and length
  std::uint32_t length = 0;  // of the whole packet
};

bool frame::has_shortest_length() const noexcept {
  return whole.size() - body.size() == 1 + variable_size(static_cast<std::uint32_t>(body.size()));
}

framer::~framer() {
  if (filling_ != nullptr) filling_->release(1);
  drop_buffers(true);
}

framer::framer(framer&& other) noexcept : limit_{other.limit_} { *this = std::move(other); }

framer& framer::operator=(framer&& other) noexcept {
  std::swap(at_, other.at_);
  std::swap(end_, other.end_);
  std::swap(filling_, other.filling_);
  std::swap(spare_, other.spare_);
  std::swap(limit_, other.limit_);
  std::swap(length_, other.length_);
  std::swap(held_, other.held_);
  std::swap(failure_, other.failure_);
  std::swap(start_, other.start_);
  std::swap(version_, other.version_);
  std::swap(quiet_, other.quiet_);
  return *this;
}

errc framer::fail(errc why) noexcept {
  at_ = end_ = nullptr;
  return failure_ = why;
}

/// Judges as much of a header as there is; errc::need_more when it is right so far.
errc framer::read_header(const octet* from, std::size_t count, header& found) noexcept {
  if (count == 0) return errc::need_more;
  const opening how = detail::openings[from[0]];
  if (how == opening::refused
      || (how == opening::accepted_in_5_0 && version_ == static_cast<octet>(version::v3_1_1)))
    return errc::malformed_packet;
  std::uint32_t remaining = 0;
  for (std::size_t i = 1;; ++i) {
    if (i == count) return errc::need_more;
    remaining |= static_cast<std::uint32_t>(from[i] & 0x7FU) << (7U * (i - 1));
    if (from[i] < 0x80U) {
      const bool padded = i > 1 && from[i] == 0;
      if (padded && version_ == static_cast<octet>(version::v5_0)) // [MQTT-1.5.5-1]
        return errc::malformed_packet;
      found.body_at = static_cast<std::uint32_t>(i + 1);
      break;
    }
    if (i == 4) // four length octets at most, section 1.5.5
      return errc::malformed_packet;
  }
  if (remaining != 0 && how == opening::ping) // sections 3.12.1 and 3.13.1
    return errc::malformed_packet;
  found.length = found.body_at + remaining;
  return found.length > limit_ ? errc::packet_too_large : fine;
}

errc framer::next_slowly(frame& into) noexcept {
  if (failure_ != fine) return failure_;
  if (held_ != 0) return next_across(into);
  const auto available = static_cast<std::size_t>(end_ - at_);
  header found;
  const errc state = read_header(at_, available, found);
  if (state != fine && state != errc::need_more) return fail(state);
  if (state == errc::need_more || available < found.length) {
    length_ = found.length;
    return keep_remainder();
  }
  const octet* const from = at_;
  at_ += found.length;
  into.first = from[0];
  into.whole = {from, found.length};
  into.body = {from + found.body_at, found.length - found.body_at};
  return fine;
}

result<frame> framer::next() {
  result<frame> cut{std::in_place};
  if (const auto state = next(*cut); state != fine) cut = state;
  return cut;
}

/// The input ends inside a frame, or exactly behind one. length_ is 0 while it is not known.
errc framer::keep_remainder() noexcept {
  const auto rest = static_cast<std::size_t>(end_ - at_);
  octet* to = start_.data();
  if (rest != 0 && length_ != 0) {
    filling_ = take_buffer(length_);
    if (filling_ == nullptr) // a claim of the peer that this machine cannot hold
      return fail(errc::packet_too_large);
    to = filling_->data();
  }
  if (rest != 0) {
    std::memcpy(to, at_, rest);
    quiet_ = 0;
  } else {
    length_ = 0;
    if (spare_ != nullptr && ++quiet_ >= quiet_enough) drop_buffers(true);
  }
  held_ = static_cast<std::uint32_t>(rest);
  at_ = end_ = nullptr;
  return errc::need_more;
}

/// Adds input octets to the kept start of a header until the length is known.
errc framer::complete_header() noexcept {
  while (true) {
    header found;
    const errc state = read_header(start_.data(), held_, found);
    if (state == fine) {
      length_ = found.length;
      break;
    }
    if (state != errc::need_more) return fail(state);
    if (at_ == end_) return state;
    start_[held_++] = *at_++;
  }
  filling_ = take_buffer(length_);
  if (filling_ == nullptr) return fail(errc::packet_too_large);
  std::memcpy(filling_->data(), start_.data(), held_);
  return fine;
}

/// Goes on with the frame that earlier inputs began.
errc framer::next_across(frame& into) noexcept {
  if (filling_ == nullptr)
    if (const auto state = complete_header(); state != fine) return state;
  const auto available = static_cast<std::size_t>(end_ - at_);
  const std::size_t missing = length_ - held_;
  const std::size_t count = available < missing ? available : missing;
  if (count != 0) { // nothing to copy from when filled() brought the octets
    std::memcpy(filling_->data() + held_, at_, count);
    at_ += count;
    held_ += static_cast<std::uint32_t>(count);
  }
  return held_ == length_ ? deliver(into) : errc::need_more;
}

errc framer::deliver(frame& into) noexcept {
  const octet* const from = filling_->data();
  into.first = from[0];
  into.whole = {from, held_};
  std::size_t body_at = 2;
  while (from[body_at - 1] >= 0x80U) ++body_at;
  into.body = {from + body_at, held_ - body_at};
  filling_->next = spare_;
  spare_ = std::exchange(filling_, nullptr);
  length_ = held_ = 0;
  quiet_ = 0;
  return fine;
}

/// A spare buffer that nobody holds, the newest excepted: its frame may still be looked at.
framer::buffer* framer::take_buffer(std::size_t size) noexcept {
  if (spare_ != nullptr) {
    for (buffer** link = &spare_->next; *link != nullptr; link = &(*link)->next) {
      buffer* const candidate = *link;
      if (candidate->capacity() >= size && candidate->is_unshared()) {
        *link = candidate->next;
        return candidate;
      }
    }
    drop_buffers(false);
  }
  return buffer::make(rounded(size));
}

/// All of them, or those that are too many: the oldest go first, the newest stays.
void framer::drop_buffers(bool all) noexcept {
  std::size_t sum = 0;
  unsigned count = 0;
  buffer** link = &spare_;
  while (*link != nullptr) {
    buffer* const here = *link;
    sum += here->capacity();
    const bool stays = !all && (count == 0 || (sum <= spare_octets && count < spare_buffers));
    ++count;
    if (stays) {
      link = &here->next;
      continue;
    }
    *link = here->next;
    here->release(1);
  }
}

std::span<octet> framer::wanted() noexcept {
  if (filling_ == nullptr || failure_ != fine || length_ - held_ < direct_read_from) return {};
  return {filling_->data() + held_, length_ - held_};
}

void framer::filled(std::size_t count) noexcept { held_ += static_cast<std::uint32_t>(count); }

/// Only the newest buffer can hold a frame that is still to be looked at.
keeper_ref framer::retained(const frame& f) const noexcept {
  if (spare_ == nullptr || f.whole.data() != spare_->data()) return {};
  return keeper_ref{spare_};
}

std::size_t framer::owned() const noexcept {
  std::size_t sum = filling_ != nullptr ? sizeof(buffer) + filling_->capacity() + read_slack : 0;
  for (const buffer* b = spare_; b != nullptr; b = b->next)
    sum += sizeof(buffer) + b->capacity() + read_slack;
  return sum;
}

void framer::rest() noexcept { drop_buffers(true); }

} // namespace troupe::protocol
