#include "websocket_stream.hpp"

#include "layer_buffers.hpp"
#include "web_error.hpp"
#include "websocket_frames.hpp"

#include <algorithm>
#include <utility>

namespace troupe::runtime {

using protocol::octet;
using protocol::octets;

namespace {

/// A peer that sends nothing but control frames is given no more than this in one turn.
constexpr std::size_t octets_per_read = std::size_t{256} << 10U;

constexpr std::uint16_t normal_closure = 1000;
constexpr std::uint16_t protocol_error = 1002;
constexpr std::uint16_t unsupported_data = 1003;

class websocket_stream final : public octet_stream {
public:
  websocket_stream(slab_pool& pool, std::unique_ptr<octet_stream> below, websocket_role role,
                   chance_source chance)
      : below_{std::move(below)},
        chance_{chance},
        is_client_{role == websocket_role::client},
        reader_{!is_client_},
        in_{pool},
        out_{pool} {}

  progress greet() noexcept override { return below_->greet(); }
  step read(std::span<iovec> into) noexcept override;
  step write(std::span<iovec> from) noexcept override;
  bool has_unread() const noexcept override {
    return is_over_ || failure_ || !in_.empty() || below_->has_unread();
  }
  bool has_unsent() const noexcept override { return !out_.empty() || below_->has_unsent(); }
  void wait(readiness_handler handler, readiness which) override { below_->wait(std::move(handler), which); }
  void end_writing() noexcept override;
  void close() noexcept override { below_->close(); }
  std::string peer_name() const override { return below_->peer_name(); }
  std::string certified_name() const override { return below_->certified_name(); }

private:
  std::size_t open_frames(std::span<octet> into);
  bool fetch();
  void on_event(websocket_reader::event what);
  void fail(std::error_code why);
  void say_close(std::uint16_t code);
  void append(websocket_opcode what, octets payload);
  octet* begin_frame(websocket_opcode what, std::size_t size, websocket_mask& mask);
  std::error_code push();

  std::unique_ptr<octet_stream> below_;
  const chance_source chance_;
  bool is_client_;
  websocket_reader reader_;
  layer_input in_;
  layer_output out_;
  std::size_t taken_ = 0;     // from below, in this read
  std::error_code failure_{}; // to be told by the next read
  bool is_drained_ = false;
  bool is_over_ = false;  // the peer has said Close
  bool is_ended_ = false; // we have
  bool may_end_below_ = false;
};

// --- reading ----------------------------------------------------------------------------------------

octet_stream::step websocket_stream::read(std::span<iovec> into) noexcept {
  std::size_t count = 0;
  is_drained_ = false;
  taken_ = 0;
  for (const iovec& each : into) {
    const std::size_t got = open_frames({static_cast<octet*>(each.iov_base), each.iov_len});
    count += got;
    if (got < each.iov_len) break;
  }
  in_.rest();
  if (!out_.empty()) static_cast<void>(push()); // an answer; an error shows itself again
  if (count != 0) return {count, {}};
  if (failure_) return {0, failure_};
  if (is_over_) return {0, {}};
  return {0, std::make_error_code(std::errc::operation_would_block)};
}

std::size_t websocket_stream::open_frames(std::span<octet> into) {
  std::size_t count = 0;
  while (count < into.size() && !is_over_ && !failure_) {
    const auto now = reader_.take(in_.unread(), into.subspan(count));
    in_.consume(now.used);
    count += now.produced;
    if (now.error) fail(now.error);
    on_event(now.what);
    if (in_.empty() && !is_over_ && !failure_ && !fetch()) break;
  }
  return count;
}

bool websocket_stream::fetch() {
  if (is_drained_ || taken_ >= octets_per_read) return false;
  const auto got = in_.fill(*below_, is_drained_);
  taken_ += got.count;
  if (got.count != 0) return true;
  if (!got.error) failure_ = web_errc::truncated;
  if (got.error && !got.would_block()) failure_ = got.error;
  return false;
}

void websocket_stream::on_event(websocket_reader::event what) {
  if (what == websocket_reader::event::close) is_over_ = true;
  // While an answer waits, further pings go without: whoever floods us gets no memory for it.
  if (what == websocket_reader::event::ping && out_.empty() && !is_ended_)
    append(websocket_opcode::pong, reader_.control());
}

void websocket_stream::fail(std::error_code why) {
  failure_ = why;
  say_close(why == web_errc::text_frame ? unsupported_data : protocol_error);
}

// --- writing ----------------------------------------------------------------------------------------

octet_stream::step websocket_stream::write(std::span<iovec> from) noexcept {
  if (const auto error = push()) return {0, error};
  std::size_t total = 0;
  for (const iovec& each : from) total += each.iov_len;
  if (total == 0) return {0, {}};
  if (is_ended_) return {0, failure_ ? failure_ : std::make_error_code(std::errc::broken_pipe)};
  if (has_unsent()) return {0, std::make_error_code(std::errc::operation_would_block)};
  websocket_mask mask{};
  octet* to = begin_frame(websocket_opcode::binary, total, mask);
  if (to == nullptr) return {0, failure_};
  std::uint64_t at = 0;
  for (const iovec& each : from) {
    mask_octets(to + at, {static_cast<const octet*>(each.iov_base), each.iov_len}, mask, at);
    at += each.iov_len;
  }
  out_.commit(total);
  return {total, push()};
}

/// Null: there is no mask to be had; the stream has failed.
octet* websocket_stream::begin_frame(websocket_opcode what, std::size_t size, websocket_mask& mask) {
  if (is_client_ && !chance_(mask)) {
    is_ended_ = true;
    failure_ = web_errc::no_chance;
    return nullptr;
  }
  octet* const to = out_.room(largest_websocket_header + size);
  const std::size_t header = write_websocket_header(to, what, size, is_client_ ? &mask : nullptr);
  out_.commit(header);
  return to + header;
}

void websocket_stream::append(websocket_opcode what, octets payload) {
  websocket_mask mask{};
  octet* const to = begin_frame(what, payload.size(), mask);
  if (to == nullptr) return;
  mask_octets(to, payload, mask, 0);
  out_.commit(payload.size());
}

void websocket_stream::say_close(std::uint16_t code) {
  if (std::exchange(is_ended_, true)) return;
  const octet payload[2]{static_cast<octet>(code >> 8U), static_cast<octet>(code)};
  append(websocket_opcode::close, payload);
}

void websocket_stream::end_writing() noexcept {
  say_close(normal_closure);
  // The server closes what lies below first; until then a client goes on listening.
  may_end_below_ = !is_client_;
  static_cast<void>(push());
}

std::error_code websocket_stream::push() {
  const auto error = out_.send(*below_);
  if (!error && out_.empty() && std::exchange(may_end_below_, false)) below_->end_writing();
  return error;
}

} // namespace

std::unique_ptr<octet_stream> make_websocket_stream(slab_pool& pool, std::unique_ptr<octet_stream> below,
                                                    websocket_role role, chance_source chance) {
  return std::make_unique<websocket_stream>(pool, std::move(below), role, chance);
}

} // namespace troupe::runtime
