// record_store: keys and values that outlive whoever writes them.
//
//   changes --submit--> handed over --committed() reaches the ticket--> kept, whatever happens then
//
// Lives here: record_store (the face), memory_records (its form in memory).
// Holds:   changes are kept in the order of their tickets, each set of them whole or not at all.
// Threads: submit(), committed() and the questions: any thread. for_each(): while nobody submits.
// Units:   a ticket is the number of a submit(); wall-clock time, for what has to go on across a restart.
// Errors:  trouble() says why nothing is committed at the moment; whoever waits goes on waiting, and what
//          was handed over is tried again.
// Costs:   submit() is a swap under a mutex, once per group of changes.
#pragma once

#include "bell.hpp"
#include "change_set.hpp"
#include "counters.hpp"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <system_error>

namespace troupe::runtime {

class record_store {
public:
  using wall_time = std::chrono::system_clock::time_point;
  using reader = std::function<void(std::string_view key, std::string_view value)>;

  record_store() = default;
  record_store(const record_store&) = delete;
  record_store& operator=(const record_store&) = delete;
  virtual ~record_store() = default;

  /// Everything that is kept, by key.
  virtual std::error_code for_each(const reader& f) = 0;
  /// Hands `changes` over and leaves it empty. `told` is rung when they are kept; null: nobody is.
  virtual std::uint64_t submit(change_set& changes, bell* told) = 0;
  /// Every set of changes up to this ticket is kept.
  virtual std::uint64_t committed() const noexcept = 0;
  /// Returns when everything that was handed over is kept; not on a thread that others wait for. False: it
  /// cannot be kept, see trouble().
  virtual bool settle() = 0;
  /// Why the last attempt to keep something failed; none after one that did not.
  virtual std::error_code trouble() const { return {}; }
  /// Attempts that failed; null: none does.
  virtual std::shared_ptr<const tally> failures() const { return nullptr; }
  virtual wall_time wall_now() const { return std::chrono::system_clock::now(); }
};

/// In memory: dies with its object. A test decides when changes are kept, and what time it is.
class memory_records final : public record_store {
public:
  std::error_code for_each(const reader& f) override;
  std::uint64_t submit(change_set& changes, bell* told) override;
  std::uint64_t committed() const noexcept override { return committed_.load(std::memory_order_acquire); }
  bool settle() override;
  wall_time wall_now() const override;

  // -- for tests --------------------------------------------------------------
  /// From now on what is handed over waits for commit().
  void hold(bool is_held = true) noexcept { is_held_ = is_held; }
  /// Keeps the next `count` sets that wait; answers how many there were.
  std::size_t commit(std::size_t count = ~std::size_t{0});
  /// Sets handed over and not kept.
  std::size_t waiting() const;
  /// As if the process had ended now: what waits is lost.
  void lose();
  void set_wall(wall_time now) noexcept { wall_ = now; }
  std::size_t size() const { return kept_.size(); }

private:
  struct handed_over {
    change_set changes;
    bell_ref told;
  };
  void keep(const change_set& changes);

  mutable std::mutex mutex_;
  std::map<std::string, std::string, std::less<>> kept_; // under mutex_
  std::vector<handed_over> waiting_;                     // under mutex_
  std::atomic<std::uint64_t> committed_{0};              // written under mutex_, read by anybody
  std::atomic<bool> is_held_{false};                     // set by a test
  wall_time wall_{};                                     // set by a test; zero: the real one
};

} // namespace troupe::runtime
