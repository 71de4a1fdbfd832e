#include "framer.hpp"

#include "wire_writer.hpp"

#include <new>

namespace troupe::protocol {

namespace {

constexpr errc fine{};

using detail::opening;

/// So many inputs after a frame was handed out, nobody looks at it any more but who retained it.
constexpr octet quiet_enough = 2;

/// Memory of a framer without a source; counted plainly.
class heap_buffer final : public keeper {
public:
  static fresh_buffer make(std::size_t size) noexcept {
    void* const memory = ::operator new(sizeof(heap_buffer) + size + read_slack, std::nothrow);
    if (memory == nullptr) return {};
    auto* const made = new (memory) heap_buffer;
    auto* const data = reinterpret_cast<octet*>(made + 1);
    std::memset(data + size, 0, read_slack);
    return {made, data};
  }
  void retain(std::uint32_t count) noexcept override { count_ += count; }
  void release(std::uint32_t count) noexcept override {
    count_ -= count;
    if (count_ != 0) return;
    this->~heap_buffer();
    ::operator delete(static_cast<void*>(this));
  }

private:
  heap_buffer() = default;
  ~heap_buffer() = default;
  std::uint32_t count_ = 1;
};

void give_back(fresh_buffer& what) noexcept {
  if (what.owner != nullptr) std::exchange(what, {}).owner->release(1);
}

} // namespace

struct framer::header {
  std::uint32_t body_at = 0; // octets of type and length
  std::uint32_t length = 0;  // of the whole packet
};

bool frame::has_shortest_length() const noexcept {
  return whole.size() - body.size() == 1 + variable_size(static_cast<std::uint32_t>(body.size()));
}

framer::~framer() {
  give_back(filling_);
  give_back(last_);
}

framer::framer(framer&& other) noexcept : limit_{other.limit_} { *this = std::move(other); }

framer& framer::operator=(framer&& other) noexcept {
  std::swap(at_, other.at_);
  std::swap(end_, other.end_);
  std::swap(source_, other.source_);
  std::swap(filling_, other.filling_);
  std::swap(last_, other.last_);
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
    if (!begin_buffer()) return failure_;
    to = filling_.data;
  }
  if (rest != 0)
    std::memcpy(to, at_, rest);
  else
    length_ = 0;
  if (last_.owner != nullptr && ++quiet_ >= quiet_enough) give_back(last_);
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
  if (!begin_buffer()) return failure_;
  std::memcpy(filling_.data, start_.data(), held_);
  return fine;
}

/// Goes on with the frame that earlier inputs began.
errc framer::next_across(frame& into) noexcept {
  if (filling_.owner == nullptr)
    if (const auto state = complete_header(); state != fine) return state;
  const auto available = static_cast<std::size_t>(end_ - at_);
  const std::size_t missing = length_ - held_;
  const std::size_t count = available < missing ? available : missing;
  if (count != 0) { // nothing to copy from when filled() brought the octets
    std::memcpy(filling_.data + held_, at_, count);
    at_ += count;
    held_ += static_cast<std::uint32_t>(count);
  }
  return held_ == length_ ? deliver(into) : errc::need_more;
}

errc framer::deliver(frame& into) noexcept {
  const octet* const from = filling_.data;
  into.first = from[0];
  into.whole = {from, held_};
  std::size_t body_at = 2;
  while (from[body_at - 1] >= 0x80U) ++body_at;
  into.body = {from + body_at, held_ - body_at};
  give_back(last_);
  last_ = std::exchange(filling_, {});
  length_ = held_ = 0;
  quiet_ = 0;
  return fine;
}

bool framer::begin_buffer() noexcept {
  filling_ = source_ != nullptr ? source_->take_buffer(length_) : heap_buffer::make(length_);
  if (filling_.owner != nullptr) return true;
  fail(errc::packet_too_large); // a claim of the peer that this machine cannot hold
  return false;
}

std::span<octet> framer::wanted() noexcept {
  if (filling_.owner == nullptr || failure_ != fine || length_ - held_ < direct_read_from) return {};
  return {filling_.data + held_, length_ - held_};
}

void framer::filled(std::size_t count) noexcept { held_ += static_cast<std::uint32_t>(count); }

keeper_ref framer::retained(const frame& f) const noexcept {
  if (last_.owner == nullptr || f.whole.data() != last_.data) return {};
  return keeper_ref{last_.owner};
}

} // namespace troupe::protocol
