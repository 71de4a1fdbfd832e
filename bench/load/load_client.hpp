// load_client: one client of a load, and when its connection came up.
//
// Lives here: load_client, client_options_for(), bring_up().
// Holds:   times are taken where they happen (the client's worker). Who is decided or subscribed says so in
//          the news, which outlive the client.
// Threads: begin(), subscribe() and bring_up() on one outside thread.
// Units:   nanoseconds of the monotonic clock; 0: has not happened.
#pragma once

#include "load_plan.hpp"
#include "news.hpp"

#include "../../actors/client.hpp"
#include "../../runtime/stage.hpp"

#include <atomic>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace troupe::bench {

/// Of the client that is made as number `turn` of all.
client_options client_options_for(const load_plan& plan, const std::string& endpoint, std::string id,
                                  std::size_t turn = 0);

/// The will of client `number`; of a plan that has one.
will will_for(const load_plan& plan, std::uint32_t number);

class load_client {
public:
  load_client(stage& where, client_options options, news& told)
      : told_{told}, name_{options.client_id}, user_{where, std::move(options)} {}
  load_client(const load_client&) = delete;
  load_client& operator=(const load_client&) = delete;

  void begin();
  bool is_decided() const noexcept { return decided_.load(std::memory_order_acquire) != 0; }
  bool is_up() const noexcept { return is_decided() && failure_.empty(); }
  /// Why it is not up; of a client that is decided.
  const std::string& failure() const noexcept { return failure_; }

  /// Asks for every filter. Answers come in by the worker.
  void subscribe(std::span<const std::string> filters, qos quality,
                 std::function<void(const message&)> handler, const subscribe_options& how = {});
  bool is_subscribed() const noexcept { return open_filters_.load(std::memory_order_acquire) == 0; }

  std::int64_t begun() const noexcept { return begun_; }
  /// When the dialling was over; of a client that is decided.
  std::int64_t dialled() const noexcept { return dialled_; }
  std::int64_t decided() const noexcept { return decided_.load(std::memory_order_acquire); }
  std::int64_t subscribed_after() const noexcept { return subscribed_after_.load(std::memory_order_acquire); }

  client& user() noexcept { return user_; }
  /// Its client id.
  const std::string& name() const noexcept { return name_; }
  /// It is no fault when it is not connected in the end.
  void excuse() noexcept { is_excused_ = true; }
  bool is_excused() const noexcept { return is_excused_; }

private:
  news& told_;
  std::string name_;
  bool is_excused_ = false;
  std::int64_t begun_ = 0;
  std::int64_t dialled_ = 0; // written before decided_ says so
  std::atomic<std::int64_t> decided_{0};
  std::string failure_{}; // written before decided_ or open_filters_ say so
  std::int64_t asked_ = 0;
  std::atomic<std::size_t> open_filters_{0};
  std::atomic<std::int64_t> subscribed_after_{0};
  std::vector<subscription> interests_{};
  state_watch watch_{};
  client user_;
};

struct bring_up_options {
  double rate = 0;              // per second; 0: no pause
  std::size_t at_once = 64;     // attempts under way
  std::function<bool()> tick{}; // called now and then; false: give up
};

/// Connects all, who tell `told`, and waits until each is decided, or tick() says no. Answers how many are up.
std::size_t bring_up(std::span<load_client* const> clients, const bring_up_options& how, news& told);

} // namespace troupe::bench
