#include "scripted_line.hpp"

#include <troupe/runtime/slab_outbox.hpp>
#include <troupe/runtime/slab_pool.hpp>
#include <troupe/runtime/transport.hpp>

#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <utility>

namespace support {

using namespace troupe::runtime;
using troupe::test::at;

namespace {

void hear(const std::shared_ptr<line_state>& state);

/// The client's end.
class pipe final : public transport, public flushable {
public:
  pipe(home& where, std::shared_ptr<line_state> state)
      : where_{where}, state_{std::move(state)}, out_{where.slabs()} {
    state_->end = this;
  }
  ~pipe() override {
    state_->end = nullptr;
    state_->sink = nullptr;
    state_->is_over = true;
  }
  void start(transport_sink& sink) override { state_->sink = &sink; }
  troupe::protocol::outbox& out() override { return out_; }
  troupe::protocol::buffer_source& memory() noexcept override { return where_.slabs(); }
  void flush_later() override { where_.flush_later(*this); }
  std::size_t backlog() const noexcept override { return out_.size(); }
  bool is_congested() const noexcept override { return out_.size() > state_->high_mark; }
  void pause() override { state_->is_paused = true; }
  void resume() override {
    state_->is_paused = false;
    where_.post([state = state_] { say_here(*state, std::exchange(state->unread, {})); });
  }
  void close() override {
    flush();
    end_soon({});
  }
  void abort() override { end_soon({}); }
  std::string peer_name() const override { return "a script"; }

  void flush() override {
    if (state_->is_stuck || out_.empty()) return;
    iovec parts[16];
    while (!out_.empty()) {
      const std::size_t used = out_.gather(parts, 256 * 1024);
      for (std::size_t n = 0; n != used; ++n) {
        const auto* const from = static_cast<const octet*>(parts[n].iov_base);
        state_->sent.insert(state_->sent.end(), from, from + parts[n].iov_len);
      }
      out_.consume(out_.gathered());
    }
    where_.post([state = state_] {
      if (state->sink != nullptr && !state->is_over) state->sink->on_writable();
      hear(state);
    });
  }
  void end_soon(std::error_code why) {
    where_.post([state = state_, why] { cut_here(*state, why); });
  }

private:
  home& where_;
  std::shared_ptr<line_state> state_;
  slab_outbox out_;
};

/// The length of the first packet; 0: it is not all there.
std::size_t first_packet(const std::vector<octet>& from) {
  std::size_t length = 0;
  std::size_t head = 1;
  for (unsigned shift = 0;; shift += 7) {
    if (head >= from.size()) return 0;
    const octet part = from[head++];
    length |= static_cast<std::size_t>(part & 0x7FU) << shift;
    if ((part & 0x80U) == 0) break;
  }
  return head + length <= from.size() ? head + length : 0;
}

std::string take_packet(line_state& state) {
  const std::size_t size = first_packet(state.sent);
  if (size == 0) return state.is_over ? "closed" : "";
  const auto end = state.sent.begin() + static_cast<std::ptrdiff_t>(size);
  const std::vector<octet> packet(state.sent.begin(), end);
  state.sent.erase(state.sent.begin(), end);
  return dump(octets{packet});
}

/// Whoever plays the other end takes every whole packet.
void hear(const std::shared_ptr<line_state>& state) {
  if (state->by == nullptr) return;
  for (std::size_t size = first_packet(state->sent); size != 0; size = first_packet(state->sent)) {
    const auto end = state->sent.begin() + static_cast<std::ptrdiff_t>(size);
    const std::vector<octet> packet(state->sent.begin(), end);
    state->sent.erase(state->sent.begin(), end);
    state->by->on_packet(state, octets{packet});
  }
}

} // namespace

void say_here(line_state& state, const std::vector<octet>& bytes) {
  say_here(state, troupe::protocol::as_text(octets{bytes}));
}

void say_here(line_state& state, std::string_view bytes) {
  while (!bytes.empty() && state.sink != nullptr && !state.is_over) {
    if (state.is_paused) {
      state.unread.append(bytes);
      return;
    }
    std::size_t count = 0;
    if (const auto direct = state.sink->wanted(); !direct.empty()) {
      count = std::min(direct.size(), bytes.size());
      std::memcpy(direct.data(), bytes.data(), count);
      bytes.remove_prefix(count);
      state.sink->on_filled(count);
      continue;
    }
    const auto room = state.where->slabs().reading_room();
    count = std::min(room.size(), bytes.size());
    std::memcpy(room.data(), bytes.data(), count);
    bytes.remove_prefix(count);
    state.sink->on_read(state.where->slabs().finish_read(count));
  }
}

void cut_here(line_state& state, std::error_code why) {
  if (std::exchange(state.is_over, true)) return;
  if (state.sink != nullptr) std::exchange(state.sink, nullptr)->on_closed(why);
}

// -- line ----------------------------------------------------------------------------------------

void line::say(std::string_view hex_text) {
  const auto bytes = parse_hex(hex_text);
  say_raw(troupe::protocol::as_text(octets{bytes}));
}
void line::say_raw(std::string_view bytes) {
  at(*state_->where, [&] { say_here(*state_, bytes); });
}
std::string line::next() {
  return at(*state_->where, [&] { return take_packet(*state_); });
}
std::string line::all() {
  return at(*state_->where, [&] {
    std::string text;
    for (std::string each = take_packet(*state_); !each.empty(); each = take_packet(*state_)) {
      if (!text.empty()) text += " | ";
      text += each;
      if (each == "closed") break;
    }
    return text;
  });
}
void line::close() { cut({}); }
void line::cut(std::error_code why) {
  at(*state_->where, [&] { cut_here(*state_, why); });
}
void line::stop_reading(bool is_stopped) {
  at(*state_->where, [&] {
    state_->is_stuck = is_stopped;
    if (!is_stopped && state_->end != nullptr) state_->end->flush();
  });
}
bool line::is_closed() const {
  return at(*state_->where, [&] { return state_->is_over; });
}
bool line::is_paused() const {
  return at(*state_->where, [&] { return state_->is_paused; });
}
std::size_t line::unread() const {
  return at(*state_->where, [&] { return state_->unread.size(); });
}

// -- scripted_network ----------------------------------------------------------------------------

struct scripted_network::call {
  troupe::runtime::home& where;
  std::size_t high_mark;
  answer done; // empty: answered, or given up
};

std::shared_ptr<void> scripted_network::connect(troupe::runtime::home& where, const endpoint& to,
                                                const transport_options& options, answer done) {
  home_.store(&where, std::memory_order_release);
  dialled_.push_back(to);
  waiting_ = std::make_shared<call>(call{where, options.high_mark, std::move(done)});
  dials_.fetch_add(1, std::memory_order_acq_rel);
  if (player_ != nullptr)
    where.post([self = shared_from_this(), weak = std::weak_ptr{waiting_}] {
      if (const auto who = weak.lock(); who && who->done) self->answer_here(*who);
    });
  // Given up: forgotten.
  return std::shared_ptr<void>{nullptr, [weak = std::weak_ptr{waiting_}](void*) {
                                 if (const auto who = weak.lock()) who->done = nullptr;
                               }};
}

std::shared_ptr<line_state> scripted_network::answer_here(call& who) {
  auto state = std::make_shared<line_state>();
  state->where = &who.where;
  state->high_mark = who.high_mark;
  state->by = player_;
  state->number = ++connections_;
  const auto done = std::exchange(who.done, nullptr);
  done(transport_ptr{std::make_unique<pipe>(who.where, state)});
  return state;
}

bool scripted_network::has_caller() const {
  if (home_.load(std::memory_order_acquire) == nullptr) return false;
  return at(home(), [&] { return waiting_ && waiting_->done; });
}

line scripted_network::accept() {
  return line{at(home(), [&] {
    if (!waiting_ || !waiting_->done) throw std::runtime_error{"nobody dials"};
    return answer_here(*waiting_);
  })};
}

void scripted_network::refuse(std::error_code why) {
  at(home(), [&] {
    if (!waiting_ || !waiting_->done) throw std::runtime_error{"nobody dials"};
    std::exchange(waiting_->done, nullptr)(why);
  });
}

std::vector<std::string> scripted_network::hosts() const {
  return at(home(), [&] {
    std::vector<std::string> all;
    for (const endpoint& each : dialled_) all.push_back(each.host);
    return all;
  });
}

std::vector<std::string> scripted_network::addresses() const {
  return at(home(), [&] {
    std::vector<std::string> all;
    for (const endpoint& each : dialled_) all.push_back(to_string(each));
    return all;
  });
}

} // namespace support
