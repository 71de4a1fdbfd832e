// shard_rig: shards of a broker without actors, sockets or clock, and scripted clients for them.
//
// Lives here: rig_pipe (a transport in memory), shard_rig (shards, time, mail between them), rig_client.
// Holds:   everything happens when the test says so, in one thread. Mail between shards waits until
//          settle(), or is handed over one by one.
#pragma once

#include "script_client.hpp"

#include <troupe/broker/shard.hpp>
#include <troupe/broker/stored_state.hpp>

#include <troupe/runtime/slab_outbox.hpp>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace troupe::test {

/// A transport whose other end is the test.
class rig_pipe final : public runtime::transport {
public:
  explicit rig_pipe(runtime::slab_pool& slabs) : slabs_{slabs}, out_{slabs} {}

  void start(runtime::transport_sink& sink) override { sink_ = &sink; }
  protocol::outbox& out() override { return out_; }
  protocol::buffer_source& memory() noexcept override { return slabs_; }
  void flush_later() override { is_flushed = true; }
  std::size_t backlog() const noexcept override { return out_.size(); }
  bool is_congested() const noexcept override { return out_.size() > high_mark; }
  void pause() override { is_paused = true; }
  void resume() override { is_paused = false; }
  void close() override { is_closed = true; }
  void abort() override { is_closed = true; }
  std::string peer_name() const override { return "rig"; }

  /// What was written, taken away as a reader would.
  std::vector<protocol::octet> take() {
    std::vector<runtime::outbox_segment> segments;
    out_.move_to(segments, out_.size());
    std::vector<protocol::octet> all;
    for (const auto& one : segments) all.insert(all.end(), one.bytes.begin(), one.bytes.end());
    return all;
  }
  runtime::transport_sink* sink() const noexcept { return sink_; }

  std::size_t high_mark = std::size_t{512} << 10U;
  bool is_flushed = false;
  bool is_paused = false;
  bool is_closed = false;

private:
  runtime::slab_pool& slabs_;
  runtime::slab_outbox out_;
  runtime::transport_sink* sink_ = nullptr;
};

class shard_rig {
public:
  explicit shard_rig(broker_options options = {}, brokerage::shard_number shards = 1)
      : options_{std::move(options)}, counts_{std::make_unique<brokerage::shard_counters[]>(shards)} {
    if (options_.store != nullptr) past_ = *brokerage::stored_state::read(*options_.store, shards);
    for (brokerage::shard_number each = 0; each < shards; ++each) {
      hosts_.push_back(std::make_unique<host>(*this, each));
      shards_.push_back(std::make_unique<brokerage::shard>(each, shards, options_, counts_[each],
                                                           *hosts_.back(), past_.get()));
    }
    past_.reset(); // as in a broker: nothing of it is looked at later
  }
  ~shard_rig() {
    for (auto& one : shards_) one->turn();
    shards_.clear();
  }

  brokerage::shard& operator[](std::size_t each) { return *shards_[each]; }
  const brokerage::shard_counters& counts(std::size_t each = 0) const { return counts_[each]; }
  runtime::slab_pool& slabs() { return slabs_; }
  std::size_t mail() const { return mail_.size(); }

  /// Hands over one piece of mail; false when there is none.
  bool step() {
    if (mail_.empty()) return false;
    letter one = std::move(mail_.front());
    mail_.pop_front();
    shards_[one.to]->on_mail(std::move(one.what));
    return true;
  }
  /// Hands over one piece of mail of some pair of shards, or lets one shard have its turn.
  void step_somewhere(std::size_t chance) {
    for (std::size_t each = 0; each < shards_.size(); ++each) {
      if (std::exchange(hosts_[each]->is_called, false) || shards_[each]->has_news()) shards_[each]->turn();
    }
    if (mail_.empty()) return;
    // any piece whose sender said nothing to the same shard before it
    for (std::size_t tried = 0; tried < mail_.size(); ++tried) {
      const std::size_t at = (chance + tried) % mail_.size();
      const bool is_first =
          std::none_of(mail_.begin(), mail_.begin() + static_cast<std::ptrdiff_t>(at),
                       [&](const auto& one) { return one.from == mail_[at].from && one.to == mail_[at].to; });
      if (!is_first) continue;
      letter one = std::move(mail_[at]);
      mail_.erase(mail_.begin() + static_cast<std::ptrdiff_t>(at));
      shards_[one.to]->on_mail(std::move(one.what));
      return;
    }
  }
  /// Until nothing is left to do.
  void settle() {
    bool goes_on = true;
    while (goes_on) {
      goes_on = step();
      for (std::size_t each = 0; each < shards_.size(); ++each) {
        if (!std::exchange(hosts_[each]->is_called, false) && !shards_[each]->has_news()) continue;
        shards_[each]->turn();
        goes_on = true;
      }
    }
  }
  /// Lets time pass in steps, so that deadlines fire in order.
  void advance(std::chrono::milliseconds by) {
    for (; by.count() > 0; by -= std::chrono::milliseconds{100}) {
      now_ += std::chrono::milliseconds{100};
      for (auto& one : shards_) one->turn();
      settle();
    }
  }
  protocol::time_point now() const { return now_; }

  bool is_crowded = false; // whether some shard takes nothing more

private:
  struct host final : brokerage::shard_host {
    host(shard_rig& of, brokerage::shard_number number) : rig{of}, self{number} {}
    void post(brokerage::shard_number to, brokerage::shard_mail&& what) override {
      rig.mail_.push_back({self, to, std::move(what)});
    }
    bool is_crowded() const noexcept override { return rig.is_crowded; }
    void call_again() noexcept override { is_called = true; }
    void on_event_end(protocol::time_point) override {}
    protocol::time_point now() noexcept override { return rig.now_; }
    authenticator::reply reply_to(brokerage::peer_number who) override {
      return [this, who](protocol::reason_code how) { rig.shards_[self]->on_proof(who, how); };
    }

    shard_rig& rig;
    brokerage::shard_number self;
    bool is_called = false;
  };
  struct letter {
    brokerage::shard_number from;
    brokerage::shard_number to;
    brokerage::shard_mail what;
  };

  broker_options options_;
  std::shared_ptr<const brokerage::stored_state> past_{};
  std::unique_ptr<brokerage::shard_counters[]> counts_;
  runtime::slab_pool slabs_{};
  protocol::time_point now_{std::chrono::hours{1}};
  std::deque<letter> mail_{};
  std::vector<std::unique_ptr<host>> hosts_{};
  std::vector<std::unique_ptr<brokerage::shard>> shards_{};
};

class rig_client final : public script_client {
public:
  explicit rig_client(shard_rig& rig, std::size_t shard = 0) : rig_{rig} {
    auto pipe = std::make_unique<rig_pipe>(rig.slabs());
    pipe_ = pipe.get();
    rig[shard].adopt(std::move(pipe));
    sink_ = pipe_->sink();
  }
  ~rig_client() override { hang_up(); }

  rig_pipe& pipe() { return *pipe_; }

  // -- what the client sends --------------------------------------------------
  void send(const std::vector<protocol::octet>& bytes) override {
    deliver_later(bytes);
    rig_.settle();
    reap();
  }
  /// The same, but what follows from it waits for the rig.
  void deliver_later(const std::vector<protocol::octet>& bytes) {
    if (bytes.empty() || pipe_ == nullptr) return;
    runtime::slab* const slab = rig_.slabs().take(bytes.size());
    std::memcpy(slab->data(), bytes.data(), bytes.size());
    sink_->on_read({{slab->data(), bytes.size()}, protocol::keeper_ref::adopt(slab)});
  }
  /// The connection is lost, as the broker's transport sees it.
  void hang_up() {
    if (pipe_ == nullptr) return;
    (void)pipe_->take();
    pipe_ = nullptr;
    sink_->on_closed({});
    rig_.settle();
  }

  // -- what the client hears --------------------------------------------------
  /// All packets that came since the last call.
  std::vector<seen> hear() {
    std::vector<protocol::octet> bytes = std::exchange(last_words_, {});
    if (pipe_ != nullptr) {
      const auto more = pipe_->take();
      bytes.insert(bytes.end(), more.begin(), more.end());
      sink_->on_writable();
      rig_.settle();
      if (pipe_->backlog() != 0) {
        std::vector<seen> first = decode(std::move(bytes));
        for (seen& one : hear()) first.push_back(std::move(one));
        return first;
      }
    }
    return decode(std::move(bytes));
  }
  /// What came so far, while everything else stands still.
  std::vector<seen> overhear() {
    std::vector<protocol::octet> bytes = std::exchange(last_words_, {});
    if (pipe_ != nullptr) {
      const auto more = pipe_->take();
      bytes.insert(bytes.end(), more.begin(), more.end());
      sink_->on_writable();
    }
    return decode(std::move(bytes));
  }
  /// What was heard of one type.
  std::vector<seen> hear(protocol::packet_type type) {
    std::vector<seen> all = hear();
    std::erase_if(all, [&](const seen& one) { return one.type != type; });
    return all;
  }
  std::vector<std::string> payloads() {
    std::vector<std::string> all;
    for (const seen& one : hear(protocol::packet_type::publish)) all.push_back(one.payload);
    return all;
  }
  bool is_closed() { return pipe_ == nullptr || pipe_->is_closed; }
  /// Lets the broker see that its close() went through, keeping what was written last.
  void reap() {
    if (pipe_ == nullptr || !pipe_->is_closed) return;
    const auto more = pipe_->take();
    last_words_.insert(last_words_.end(), more.begin(), more.end());
    pipe_ = nullptr;
    sink_->on_closed({});
    rig_.settle();
  }

private:
  shard_rig& rig_;
  rig_pipe* pipe_ = nullptr;
  runtime::transport_sink* sink_ = nullptr;
  std::vector<protocol::octet> last_words_{};
};

} // namespace troupe::test
