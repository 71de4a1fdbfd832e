// stream_pipe: the two loops of a stream transport.
//
// Lives here: stream_pipe, the part of a stream_transport that waits and timers keep alive.
// Holds:
//
//     fresh --start--> open --close--> flushing --all written--> ending --end of stream--> ended
//                        \________________\_________________________\____error, abort______/
//
//          flushing and ending last no longer than the linger time, and discard what comes in.
//          Once ended, the next idle point tells the sink, never an earlier one.
// Threads: the home's.
// Units:   octets.
#pragma once

#include "home.hpp"
#include "octet_stream.hpp"
#include "slab_outbox.hpp"
#include "transport.hpp"
#include "transport_options.hpp"

#include <memory>

namespace troupe::runtime {

class stream_pipe final : public flushable,
                          public readiness_watcher,
                          public std::enable_shared_from_this<stream_pipe> {
public:
  stream_pipe(home& where, std::unique_ptr<octet_stream> stream, const transport_options& options);
  stream_pipe(const stream_pipe&) = delete;
  stream_pipe& operator=(const stream_pipe&) = delete;
  ~stream_pipe();

  void start(transport_sink& sink);
  slab_outbox& out() noexcept { return out_; }
  slab_pool& memory() noexcept { return home_.slabs(); }
  std::size_t backlog() const noexcept { return out_.size(); }
  void flush_later() noexcept { home_.flush_later(*this); }
  bool is_congested() const noexcept { return was_congested_ || out_.size() > options_.high_mark; }
  void pause() noexcept { is_paused_ = true; }
  void resume();
  void close();
  void abort() noexcept;
  /// The sink is gone: nothing is told any more.
  void forget() noexcept;
  std::string peer_name() const { return peer_name_; }
  std::string certified_name() const { return stream_->certified_name(); }

  /// The idle point has come.
  void flush() override;
  void on_ready(readiness which) override;

private:
  enum class phase : unsigned char { fresh, open, flushing, ending, ended };

  bool is_leaving() const noexcept { return phase_ == phase::flushing || phase_ == phase::ending; }
  bool may_read() const noexcept {
    return !is_input_over_ && ((phase_ == phase::open && !is_paused_) || is_leaving());
  }
  void read_turn();
  void go_on_reading();
  octet_stream::step read_once(std::size_t& asked);
  octet_stream::step read_for_sink(std::size_t& asked);
  void hand_over_kept();
  void on_end_of_input(std::error_code error);
  bool has_output() const noexcept { return !out_.empty() || stream_->has_unsent(); }
  void write_turn();
  void on_write_error(std::error_code error);
  void on_relieved();
  void say_goodbye();
  void on_linger_over();
  void wait(readiness which);
  void end(std::error_code why) noexcept;
  void tell();

  home& home_;
  std::unique_ptr<octet_stream> stream_;
  transport_options options_;
  slab_outbox out_;
  transport_sink* sink_ = nullptr;
  protocol::slice kept_; // read, but the sink paused before it could be told
  deadline linger_{calls<&stream_pipe::on_linger_over>, *this};
  std::error_code why_;
  std::string peer_name_; // asked for while the socket still knows
  phase phase_ = phase::fresh;
  bool is_input_over_ = false;
  bool is_paused_ = false;
  bool is_reading_ = false;     // inside read_turn
  bool awaits_reading_ = false; // the stream will tell
  bool awaits_writing_ = false;
  bool has_more_ = false; // the last turn ended at its limit
  bool was_congested_ = false;
};

} // namespace troupe::runtime
