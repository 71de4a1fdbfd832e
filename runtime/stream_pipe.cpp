#include "stream_pipe.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace troupe::runtime {

namespace {

constexpr std::size_t octets_per_turn = std::size_t{256} << 10U;
/// Before more is written, the home looks at its sockets: a reader that lives there too takes these octets
/// out of the system's buffers while they are in the cache. From 384 KB on they are not: twice the time.
constexpr std::size_t octets_per_write = std::size_t{256} << 10U;
constexpr std::size_t segments_per_write = 64;

} // namespace

stream_pipe::stream_pipe(home& where, std::unique_ptr<octet_stream> stream, const transport_options& options)
    : home_{where},
      stream_{std::move(stream)},
      options_{options},
      out_{where.slabs()},
      peer_name_{stream_->peer_name()} {}

stream_pipe::~stream_pipe() { stream_->close(); }

void stream_pipe::start(transport_sink& sink) {
  sink_ = &sink;
  if (phase_ == phase::fresh) phase_ = phase::open;
  has_more_ = stream_->has_unread(); // came behind a greeting
  if (phase_ == phase::ended || has_more_)
    flush_later();
  else if (may_read())
    wait(readiness::to_read);
}

void stream_pipe::resume() {
  is_paused_ = false;
  if (is_reading_ || phase_ != phase::open) return;
  if (has_more_ || !kept_.empty())
    flush_later();
  else
    wait(readiness::to_read);
}

void stream_pipe::close() {
  if (phase_ == phase::ended || is_leaving()) return;
  phase_ = phase::flushing;
  kept_ = {};
  home_.time().arm_in(linger_, options_.linger);
  if (may_read() && !is_reading_) wait(readiness::to_read);
  flush_later();
}

void stream_pipe::abort() noexcept { end({}); }

void stream_pipe::forget() noexcept {
  sink_ = nullptr;
  end({});
}

void stream_pipe::end(std::error_code why) noexcept {
  if (phase_ == phase::ended) return;
  phase_ = phase::ended;
  why_ = why;
  linger_.disarm();
  stream_->close();
  out_.clear();
  kept_ = {};
  if (sink_ != nullptr) flush_later();
}

void stream_pipe::tell() {
  if (sink_ != nullptr) std::exchange(sink_, nullptr)->on_closed(why_);
}

void stream_pipe::flush() {
  const auto self = shared_from_this(); // the sink may drop the transport
  if (phase_ == phase::ended) {
    tell();
    return;
  }
  if (!kept_.empty() && !is_paused_) hand_over_kept();
  if (may_read()) go_on_reading();
  write_turn();
}

void stream_pipe::go_on_reading() {
  if (has_more_)
    read_turn();
  else
    wait(readiness::to_read);
}

void stream_pipe::on_ready(readiness which) {
  if (which == readiness::to_read) {
    awaits_reading_ = false;
    if (may_read()) read_turn();
  } else {
    awaits_writing_ = false;
    write_turn();
  }
}

void stream_pipe::wait(readiness which) {
  bool& awaits = which == readiness::to_read ? awaits_reading_ : awaits_writing_;
  if (std::exchange(awaits, true)) return;
  stream_->wait(readiness_handler{shared_from_this(), which}, which);
}

// --- reading ----------------------------------------------------------------------------------------

void stream_pipe::read_turn() {
  is_reading_ = true;
  has_more_ = false;
  bool is_drained = false;
  for (std::size_t taken = 0; may_read() && !is_drained && !has_more_;) {
    std::size_t asked = 0;
    const octet_stream::step got = read_once(asked);
    taken += got.count;
    // A stream that gave less than asked has nothing more now; asking again would cost a call to hear so.
    is_drained = got.count < asked && !stream_->has_unread();
    has_more_ = !is_drained && taken >= octets_per_turn;
    if ((got.error && !got.would_block()) || (!got.error && got.count == 0)) on_end_of_input(got.error);
  }
  is_reading_ = false;
  has_more_ = has_more_ || (!may_read() && !is_drained);
  // Going on, or waiting for more, begins at the next idle point: so one look of the home at its sockets
  // reads each of them once, however fast the peers are.
  if (may_read() || stream_->has_unsent()) flush_later();
}

octet_stream::step stream_pipe::read_once(std::size_t& asked) {
  if (phase_ == phase::open) return read_for_sink(asked);
  const auto room = home_.slabs().reading_room();
  iovec into{room.data(), room.size()};
  asked = room.size();
  return stream_->read({&into, 1});
}

octet_stream::step stream_pipe::read_for_sink(std::size_t& asked) {
  const std::span<protocol::octet> direct = sink_->wanted();
  const std::span<protocol::octet> room = home_.slabs().reading_room();
  std::array<iovec, 2> into{{{direct.data(), direct.size()}, {room.data(), room.size()}}};
  asked = direct.size() + room.size();
  const auto got = stream_->read(std::span{into}.subspan(direct.empty() ? 1 : 0));
  const std::size_t filled = std::min(got.count, direct.size());
  if (got.count > filled) kept_ = home_.slabs().finish_read(got.count - filled);
  if (filled != 0) sink_->on_filled(filled);
  hand_over_kept();
  return got;
}

void stream_pipe::hand_over_kept() {
  if (!kept_.empty() && phase_ == phase::open && !is_paused_) sink_->on_read(std::exchange(kept_, {}));
}

void stream_pipe::on_end_of_input(std::error_code error) {
  is_input_over_ = true;
  if (error || phase_ == phase::ending) {
    end(phase_ == phase::ending ? std::error_code{} : error);
    return;
  }
  // The peer has said its last word; it may still listen to ours.
  write_turn();
  if (phase_ == phase::ended || (phase_ == phase::flushing && has_output())) return;
  stream_->end_writing(); // some streams have a last word of their own
  end({});
}

// --- writing ----------------------------------------------------------------------------------------

void stream_pipe::write_turn() {
  std::array<iovec, segments_per_write> from;
  for (std::size_t put_so_far = 0; phase_ != phase::ended && !awaits_writing_ && has_output();) {
    if (put_so_far >= octets_per_write) return home_.flush_after_looking(*this);
    was_congested_ = is_congested();
    const auto used = out_.gather(from, octets_per_write - put_so_far);
    const auto put = stream_->write({from.data(), used});
    if (put.error && !put.would_block()) return on_write_error(put.error);
    if (put.count < out_.gathered() || stream_->has_unsent())
      wait(readiness::to_write); // full; asking again would cost a call to hear so
    out_.consume(put.count);
    put_so_far += put.count;
    if (!has_output()) {
      on_relieved();
      break; // what the sink appends now waits for the next idle point
    }
    // What a layer has taken and could not send is still a backlog.
    if (was_congested_ && out_.size() <= options_.low_mark && !stream_->has_unsent()) on_relieved();
  }
  if (phase_ == phase::flushing && !has_output()) say_goodbye();
}

void stream_pipe::say_goodbye() {
  phase_ = phase::ending;
  stream_->end_writing();
  if (is_input_over_) return end({});
  if (stream_->has_unsent()) wait(readiness::to_write);
}

void stream_pipe::on_relieved() {
  was_congested_ = false;
  if (phase_ == phase::open && sink_ != nullptr) sink_->on_writable();
}

void stream_pipe::on_write_error(std::error_code error) {
  out_.clear();
  // What the peer sent before it went, a reason perhaps, is worth more than the news that it went.
  if (phase_ == phase::open && !is_paused_ && !is_reading_) read_turn();
  end(error);
}

void stream_pipe::on_linger_over() {
  // Once all is written, a peer that does not close its side is no failure of ours.
  end(phase_ == phase::ending ? std::error_code{} : std::make_error_code(std::errc::timed_out));
}

} // namespace troupe::runtime
