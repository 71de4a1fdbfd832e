#include "bridge_transport.hpp"

#include "handoff.hpp"
#include "slab_outbox.hpp"

#include <atomic>
#include <optional>
#include <utility>

namespace troupe::runtime {

namespace {

/// What the actor asks of the real transport.
struct order {
  enum class kind : unsigned char { start, write, go_on, close, abort, drop };

  order* next = nullptr;
  kind what = kind::write;
  std::vector<outbox_segment> segments; // with write
};

void destroy_all(order* first) noexcept {
  while (first != nullptr) delete std::exchange(first, first->next);
}

/// Both halves. The actor's members belong to his runs, the home's to its thread.
class crossing final : public transport_sink, public std::enable_shared_from_this<crossing> {
public:
  crossing(std::shared_ptr<desk_line> line, transport_ptr real, const transport_options& options)
      : line_{std::move(line)},
        limit_{options.high_mark},
        peer_name_{real->peer_name()},
        certified_name_{real->certified_name()},
        out_{line_->slabs()},
        real_{std::move(real)} {}
  ~crossing() {
    destroy_all(orders_.take());
    destroy_all(spare_.take());
    destroy_all(own_spare_);
  }

  // Actor.
  void start(transport_sink& sink) {
    sink_ = &sink;
    send(order::kind::start);
  }
  slab_outbox& out() noexcept { return out_; }
  slab_pool& memory() noexcept { return line_->slabs(); }
  void flush_later();
  std::size_t backlog() const noexcept {
    if (closed_) return 0; // what was not written will never be: nobody is to wait for it
    return out_.size() + (handed_ - written_.load(std::memory_order_acquire));
  }
  bool is_congested() const noexcept { return backlog() > limit_; }
  void pause() noexcept { is_paused_ = true; }
  void resume();
  void close();
  void abort();
  void forget();
  const std::string& peer_name() const noexcept { return peer_name_; }
  const std::string& certified_name() const noexcept { return certified_name_; }

  // Home.
  void on_read(protocol::slice bytes) override;
  void on_writable() override;
  void on_closed(std::error_code why) override;

private:
  // Actor.
  void hand_over_output();
  void send(order::kind what) { send(blank(what)); }
  void send(order& what);
  order& blank(order::kind what);
  void arrive(protocol::slice bytes);
  void pump();
  void on_over(std::error_code why);
  void tell_if_over();
  void note_consumed(std::size_t count);

  // Home.
  void carry_out();
  void carry_out(order& what);
  void write(std::vector<outbox_segment>& segments);

  const std::shared_ptr<desk_line> line_;
  const std::size_t limit_;
  const std::string peer_name_;
  const std::string certified_name_;

  // Actor.
  slab_outbox out_;
  transport_sink* sink_ = nullptr;
  std::vector<protocol::slice> arrivals_; // [next_arrival_, end) wait for the sink
  std::size_t next_arrival_ = 0;
  std::optional<std::error_code> closed_; // to be told after the arrivals
  std::size_t handed_ = 0;                // octets given to the home so far
  order* own_spare_ = nullptr;
  bool is_paused_ = false;
  bool is_pumping_ = false;
  bool is_flush_called_ = false; // a call that flushes is under way
  bool is_leaving_ = false;      // closed or aborted by the actor: he hears of the end alone

  // Home.
  transport_ptr real_;
  std::size_t received_ = 0; // octets taken from orders
  bool is_held_ = false;     // real_ is paused, for too much waits for the actor

  // Both.
  handoff<order> orders_;               // actor pushes, home takes
  handoff<order> spare_;                // home pushes, actor takes
  std::atomic<std::size_t> written_{0}; // home: of received_, what real_ has got rid of
  std::atomic<std::size_t> unread_{0};  // raised by home, lowered by actor: octets the sink has not had
  std::atomic<bool> wants_news_{false}; // home: held back, to be told when half of it has been read
};

// --- actor ------------------------------------------------------------------------------------------

void crossing::flush_later() {
  if (std::exchange(is_flush_called_, true)) return;
  line_->call([self = shared_from_this()] {
    self->is_flush_called_ = false;
    self->hand_over_output();
  });
}

void crossing::hand_over_output() {
  if (out_.empty()) return;
  order& what = blank(order::kind::write);
  handed_ += out_.move_to(what.segments, ~std::size_t{0});
  send(what);
}

void crossing::resume() {
  is_paused_ = false;
  if (!is_pumping_ && (next_arrival_ != arrivals_.size() || closed_))
    line_->call([self = shared_from_this()] { self->pump(); });
}

void crossing::close() {
  if (std::exchange(is_leaving_, true)) return;
  hand_over_output();
  send(order::kind::close);
  tell_if_over();
}

void crossing::abort() {
  is_leaving_ = true;
  out_.clear();
  send(order::kind::abort);
  tell_if_over();
}

void crossing::forget() {
  sink_ = nullptr;
  out_.clear();
  arrivals_.clear();
  next_arrival_ = 0;
  send(order::kind::drop);
}

order& crossing::blank(order::kind what) {
  if (own_spare_ == nullptr) own_spare_ = spare_.take();
  order& result = own_spare_ == nullptr ? *new order : *std::exchange(own_spare_, own_spare_->next);
  result.what = what;
  return result;
}

void crossing::send(order& what) {
  if (orders_.push(what)) line_->where().post([self = shared_from_this()] { self->carry_out(); });
}

void crossing::arrive(protocol::slice bytes) {
  arrivals_.push_back(std::move(bytes));
  pump();
}

void crossing::pump() {
  if (std::exchange(is_pumping_, true)) return;
  while (sink_ != nullptr && !is_paused_ && !is_leaving_ && next_arrival_ != arrivals_.size()) {
    protocol::slice bytes = std::exchange(arrivals_[next_arrival_++], {});
    const std::size_t count = bytes.size();
    sink_->on_read(std::move(bytes));
    note_consumed(count);
  }
  is_pumping_ = false;
  if (next_arrival_ == arrivals_.size() || is_leaving_) {
    arrivals_.clear();
    next_arrival_ = 0;
    if (closed_ && sink_ != nullptr) std::exchange(sink_, nullptr)->on_closed(*closed_);
  }
}

/// The real transport has ended. A sink that paused until its output had left may go on.
void crossing::on_over(std::error_code why) {
  closed_ = why;
  if (sink_ != nullptr && is_paused_ && !is_leaving_) sink_->on_writable();
  pump();
}

/// The news of the end may have come before the actor wanted it, and waited behind arrivals that he will
/// not read now.
void crossing::tell_if_over() {
  if (closed_) line_->call([self = shared_from_this()] { self->pump(); });
}

void crossing::note_consumed(std::size_t count) {
  const std::size_t left = unread_.fetch_sub(count, std::memory_order_seq_cst) - count;
  if (left <= limit_ / 2 && wants_news_.load(std::memory_order_seq_cst)
      && wants_news_.exchange(false, std::memory_order_seq_cst))
    send(order::kind::go_on);
}

// --- home -------------------------------------------------------------------------------------------

void crossing::on_read(protocol::slice bytes) {
  const std::size_t unread = unread_.fetch_add(bytes.size(), std::memory_order_seq_cst) + bytes.size();
  line_->call(
      [self = shared_from_this(), bytes = std::move(bytes)]() mutable { self->arrive(std::move(bytes)); });
  if (unread <= limit_ || is_held_) return;
  is_held_ = true;
  real_->pause();
  // The actor lowers, then looks whether news are wanted; we want them, then look again.
  wants_news_.store(true, std::memory_order_seq_cst);
  if (unread_.load(std::memory_order_seq_cst) <= limit_ / 2
      && wants_news_.exchange(false, std::memory_order_seq_cst)) {
    is_held_ = false;
    real_->resume();
  }
}

void crossing::on_writable() {
  written_.store(received_ - real_->backlog(), std::memory_order_release);
  line_->call([self = shared_from_this()] {
    if (self->sink_ != nullptr && !self->is_leaving_) self->sink_->on_writable();
  });
}

void crossing::on_closed(std::error_code why) {
  line_->call([self = shared_from_this(), why] { self->on_over(why); });
}

void crossing::carry_out() {
  for (order* each = orders_.take(); each != nullptr;) {
    order& what = *std::exchange(each, each->next);
    carry_out(what);
    spare_.push(what);
  }
}

void crossing::carry_out(order& what) {
  if (real_ == nullptr) return what.segments.clear();
  switch (what.what) {
  case order::kind::start: return real_->start(*this);
  case order::kind::write: return write(what.segments);
  case order::kind::close: return real_->close();
  case order::kind::abort: return real_->abort();
  case order::kind::drop: return real_.reset();
  case order::kind::go_on: break;
  }
  is_held_ = false;
  real_->resume();
}

void crossing::write(std::vector<outbox_segment>& segments) {
  for (const outbox_segment& each : segments) {
    real_->out().borrow(each.bytes, each.owner.get());
    received_ += each.bytes.size();
  }
  segments.clear();
  real_->flush_later();
}

class bridge_transport final : public transport {
public:
  explicit bridge_transport(std::shared_ptr<crossing> both) noexcept : both_{std::move(both)} {}
  ~bridge_transport() override { both_->forget(); }

  void start(transport_sink& sink) override { both_->start(sink); }
  protocol::outbox& out() override { return both_->out(); }
  protocol::buffer_source& memory() noexcept override { return both_->memory(); }
  void flush_later() override { both_->flush_later(); }
  std::size_t backlog() const noexcept override { return both_->backlog(); }
  bool is_congested() const noexcept override { return both_->is_congested(); }
  void pause() override { both_->pause(); }
  void resume() override { both_->resume(); }
  void close() override { both_->close(); }
  void abort() override { both_->abort(); }
  std::string peer_name() const override { return both_->peer_name(); }
  std::string certified_name() const override { return both_->certified_name(); }

private:
  std::shared_ptr<crossing> both_;
};

} // namespace

transport_ptr bridge(const std::shared_ptr<desk_line>& line, transport_ptr real,
                     const transport_options& options) {
  if (line->is_at_home()) return real;
  return std::make_unique<bridge_transport>(std::make_shared<crossing>(line, std::move(real), options));
}

} // namespace troupe::runtime
