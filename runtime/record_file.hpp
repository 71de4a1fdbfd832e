// record_file: records in a file, through SQLite.
//
//   submit -> (waiting) --one transaction for all that waits--> journal --fold, now and then--> state
//
// Lives here: record_file_options, record_file: the form of record_store that survives `kill -9` and a loss of
//          power.
// Holds:   one transaction takes everything that was handed over while the one before was on its way to
//          the disk. It appends one row to the journal, so that its cost is that of writing the octets down;
//          what was added and removed again before the journal is folded never touches the state. One
//          process has the file at a time. What a commit promised is on the disk: write-ahead log,
//          synchronous = FULL.
// Threads: as record_store says; a thread of its own writes. The destructor waits for it.
// Units:   octets.
// Errors:  open() answers record_errc. A disk that fails later is tried again every `retry`.
// Costs:   one fsync per transaction; folding is proportional to what changed, not to what is kept.
#pragma once

#include "log.hpp"
#include "record_error.hpp"
#include "record_store.hpp"

#include "../protocol/result.hpp"

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

struct sqlite3;
struct sqlite3_stmt;

namespace troupe::runtime {

struct record_file_options {
  std::uint32_t application = 0;                // whose file it is: four letters in one number
  std::uint32_t version = 1;                    // of the form of keys and values
  std::size_t fold_at = std::size_t{16} << 20U; // octets of journal
  std::chrono::milliseconds retry{200};
  logger log{}; // hears of a disk that fails, and that it does not any more
  std::function<record_store::wall_time()> wall{}; // none: the system's
};

class record_file final : public record_store {
public:
  /// Opens the file at `path`, or makes it.
  static protocol::result<std::shared_ptr<record_file>> open(const std::string& path,
                                                             record_file_options options);
  ~record_file() override;

  std::error_code for_each(const reader& f) override;
  std::uint64_t submit(change_set& changes, bell* told) override;
  std::uint64_t committed() const noexcept override { return committed_.load(std::memory_order_acquire); }
  bool settle() override;
  std::error_code trouble() const override;
  std::shared_ptr<const tally> failures() const override { return failed_; }
  wall_time wall_now() const override;

  /// Transactions since the file was opened.
  std::uint64_t transactions() const noexcept { return transactions_.load(std::memory_order_relaxed); }

private:
  struct database_closer {
    void operator()(sqlite3* database) const noexcept;
  };
  struct statement_closer {
    void operator()(sqlite3_stmt* statement) const noexcept;
  };
  using statement = std::unique_ptr<sqlite3_stmt, statement_closer>;
  using database = std::unique_ptr<sqlite3, database_closer>;

  record_file(database opened, record_file_options options);

  static std::error_code greet(sqlite3& file, const record_file_options& options);
  static std::error_code found(sqlite3& file, const record_file_options& options);
  std::error_code prepare();
  statement prepared(const char* sql);
  std::error_code recover();

  void rest();
  void write_on();
  void note(std::error_code error);
  std::error_code write_down(const change_set& changes);
  std::error_code append(const change_set& changes);
  std::error_code fold();
  std::error_code carry_out(const change_set& changes);
  bool run(sqlite3_stmt& what) noexcept;

  // -- the writer's, before its start the maker's
  database file_;
  statement begin_, commit_, roll_back_, append_, forget_, put_, erase_, erase_range_;
  record_file_options options_;
  change_set unfolded_; // what stands in the journal
  const std::shared_ptr<tally> failed_ = std::make_shared<tally>();

  // -- shared
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  change_set waiting_;                         // under mutex_
  std::vector<bell_ref> told_;                 // under mutex_: for what waits
  std::uint64_t last_ticket_ = 0;              // under mutex_
  std::uint64_t failures_ = 0;                 // under mutex_
  std::error_code trouble_;                    // the writer writes under mutex_, others read so
  bool is_ending_ = false;                     // under mutex_
  std::atomic<std::uint64_t> committed_{0};    // the writer writes, anybody reads
  std::atomic<std::uint64_t> transactions_{0}; // likewise
  std::thread writer_;
};

} // namespace troupe::runtime
