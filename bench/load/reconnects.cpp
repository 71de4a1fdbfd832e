#include "reconnects.hpp"

#include "message_stamp.hpp"

namespace troupe::bench {

void reconnects::cut(client& who) { leave(who, false); }
void reconnects::cycle(client& who) { leave(who, true); }

void reconnects::leave(client& who, bool in_order) {
  if (who.state() != client_state::connected) return;
  meter_.away.fetch_add(1, std::memory_order_seq_cst);
  const std::int64_t left = now_ns();
  const auto then = [this, &who, left](const outcome&) { come_back(who, left); };
  in_order ? who.disconnect(then) : who.abort(then);
}

void reconnects::come_back(client& who, std::int64_t left) {
  who.connect([this, left](const outcome& how) {
    if (how.ok()) {
      meter_.reconnect.record(now_ns() - left);
    } else {
      meter_.reconnect_failures.fetch_add(1, std::memory_order_relaxed);
      meter_.note("reconnect: " + how.text());
    }
    if (meter_.away.fetch_sub(1, std::memory_order_seq_cst) == 1) meter_.told.tell();
  });
}

churn::churn(double rate, std::vector<load_client*> who, reconnects& how)
    : rate_{rate}, who_{std::move(who)}, how_{how}, thread_{[this](const std::stop_token& end) {
        work(end);
      }} {}

void churn::stop() {
  thread_.request_stop();
  if (thread_.joinable()) thread_.join();
}

void churn::work(const std::stop_token& end) {
  const auto start = std::chrono::steady_clock::now();
  for (std::uint64_t number = 0; !end.stop_requested(); ++number) {
    const std::chrono::duration<double> due{static_cast<double>(number) / rate_};
    std::unique_lock lock{mutex_};
    next_.wait_until(lock, end, start + std::chrono::duration_cast<std::chrono::nanoseconds>(due),
                     [] { return false; });
    if (end.stop_requested()) return;
    how_.cycle(who_[number % who_.size()]->user());
  }
}

} // namespace troupe::bench
