#include "record_file.hpp"

#include "change_summary.hpp"

#include <sqlite3.h>

#include <utility>

namespace troupe::runtime {

namespace {

/// Rows are kept far below SQLite's limit of a thousand million octets, unless one change is as large.
constexpr std::size_t largest_row = std::size_t{64} << 20U;

std::error_code meaning_of(int status) noexcept {
  switch (status & 0xFF) { // without what SQLite adds to it
  case SQLITE_OK:
  case SQLITE_DONE:
  case SQLITE_ROW: return {};
  case SQLITE_BUSY:
  case SQLITE_LOCKED: return record_errc::locked;
  case SQLITE_NOTADB: return record_errc::foreign;
  case SQLITE_CORRUPT: return record_errc::corrupt;
  case SQLITE_CANTOPEN:
  case SQLITE_PERM:
  case SQLITE_AUTH: return record_errc::cannot_open;
  default: return record_errc::cannot_write;
  }
}

std::error_code execute(sqlite3& file, const char* sql) noexcept {
  return meaning_of(sqlite3_exec(&file, sql, nullptr, nullptr, nullptr));
}

/// The first column of the first row as a number.
std::error_code ask(sqlite3& file, const char* sql, std::int64_t& answer) noexcept {
  sqlite3_stmt* question = nullptr;
  int status = sqlite3_prepare_v2(&file, sql, -1, &question, nullptr);
  if (status == SQLITE_OK) status = sqlite3_step(question);
  if (status == SQLITE_ROW) answer = sqlite3_column_int64(question, 0);
  sqlite3_finalize(question);
  return meaning_of(status);
}

bool is_sound(sqlite3& file) noexcept {
  sqlite3_stmt* question = nullptr;
  bool sound = false;
  if (sqlite3_prepare_v2(&file, "PRAGMA quick_check(1)", -1, &question, nullptr) == SQLITE_OK
      && sqlite3_step(question) == SQLITE_ROW) {
    const auto* const said = reinterpret_cast<const char*>(sqlite3_column_text(question, 0));
    sound = said != nullptr && std::string_view{said} == "ok";
  }
  sqlite3_finalize(question);
  return sound;
}

void fill(sqlite3_stmt& to, int place, std::string_view octets) noexcept {
  // an empty view may point nowhere, which SQLite would take for NULL
  sqlite3_bind_blob64(&to, place, octets.empty() ? "" : octets.data(), octets.size(), SQLITE_STATIC);
}

std::string_view column(sqlite3_stmt& of, int place) noexcept {
  const void* const octets = sqlite3_column_blob(&of, place);
  const auto size = static_cast<std::size_t>(sqlite3_column_bytes(&of, place));
  return {static_cast<const char*>(octets), octets == nullptr ? 0 : size};
}

} // namespace

void record_file::database_closer::operator()(sqlite3* database) const noexcept {
  sqlite3_close_v2(database);
}
void record_file::statement_closer::operator()(sqlite3_stmt* statement) const noexcept {
  sqlite3_finalize(statement);
}

// -- opening ------------------------------------------------------------------

protocol::result<std::shared_ptr<record_file>> record_file::open(const std::string& path,
                                                                 record_file_options options) {
  sqlite3* opened = nullptr;
  const int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE;
  const int status = sqlite3_open_v2(path.c_str(), &opened, flags, nullptr);
  database file{opened};
  if (status != SQLITE_OK) return std::error_code{record_errc::cannot_open};
  if (const auto error = greet(*file, options)) return error;
  std::shared_ptr<record_file> made{new record_file{std::move(file), std::move(options)}};
  if (const auto error = made->prepare()) return error;
  if (const auto error = made->recover()) return error;
  return made;
}

/// Nothing is changed in a file before it is known to be ours.
std::error_code record_file::greet(sqlite3& file, const record_file_options& options) {
  if (const auto error = execute(file, "PRAGMA locking_mode = EXCLUSIVE")) return error;
  std::int64_t application = 0;
  std::int64_t tables = 0;
  std::int64_t version = 0;
  if (const auto error = ask(file, "PRAGMA application_id", application)) return error;
  if (const auto error = ask(file, "PRAGMA user_version", version)) return error;
  if (const auto error = ask(file, "SELECT count(*) FROM sqlite_master", tables)) return error;
  const bool is_new = application == 0 && tables == 0;
  if (!is_new && application != static_cast<std::int64_t>(options.application)) return record_errc::foreign;
  if (!is_new && version > static_cast<std::int64_t>(options.version)) return record_errc::newer_version;
  if (!is_new && !is_sound(file)) return record_errc::corrupt;
  if (const auto error = execute(file, "PRAGMA journal_mode = WAL")) return error;
  if (const auto error = execute(file, "PRAGMA synchronous = FULL")) return error;
  if (const auto error = execute(file, "PRAGMA wal_autocheckpoint = 4000")) return error;
  if (is_new) return found(file, options);
  return execute(file, "BEGIN IMMEDIATE; COMMIT"); // nobody else has it
}

std::error_code record_file::found(sqlite3& file, const record_file_options& options) {
  const std::string sql = "BEGIN IMMEDIATE;"
                          "CREATE TABLE state(key BLOB PRIMARY KEY, value BLOB NOT NULL) WITHOUT ROWID;"
                          "CREATE TABLE journal(number INTEGER PRIMARY KEY, changes BLOB NOT NULL);"
                          "PRAGMA application_id = "
                          + std::to_string(options.application)
                          + ";PRAGMA user_version = " + std::to_string(options.version) + ";COMMIT";
  return execute(file, sql.c_str());
}

record_file::record_file(database opened, record_file_options options)
    : file_{std::move(opened)}, options_{std::move(options)} {}

record_file::statement record_file::prepared(const char* sql) {
  sqlite3_stmt* made = nullptr;
  sqlite3_prepare_v3(file_.get(), sql, -1, SQLITE_PREPARE_PERSISTENT, &made, nullptr);
  return statement{made};
}

std::error_code record_file::prepare() {
  begin_ = prepared("BEGIN IMMEDIATE");
  commit_ = prepared("COMMIT");
  roll_back_ = prepared("ROLLBACK");
  append_ = prepared("INSERT INTO journal(changes) VALUES(?1)");
  forget_ = prepared("DELETE FROM journal");
  put_ = prepared("INSERT INTO state(key, value) VALUES(?1, ?2) "
                  "ON CONFLICT(key) DO UPDATE SET value = excluded.value");
  erase_ = prepared("DELETE FROM state WHERE key = ?1");
  erase_range_ = prepared("DELETE FROM state WHERE key >= ?1 AND key < ?2");
  const bool all = begin_ && commit_ && roll_back_ && append_ && forget_ && put_ && erase_ && erase_range_;
  return all ? std::error_code{} : meaning_of(sqlite3_extended_errcode(file_.get()));
}

/// What stands in the journal goes to the state, so that for_each() has one place to look at.
std::error_code record_file::recover() {
  const statement rows = prepared("SELECT changes FROM journal ORDER BY number");
  if (!rows) return record_errc::corrupt;
  int status = SQLITE_ROW;
  bool is_legible = true;
  while ((status = sqlite3_step(rows.get())) == SQLITE_ROW) {
    is_legible &= for_each_change(column(*rows, 0), [this](const change& one) {
      switch (one.kind) {
      case change_kind::add: return unfolded_.put(one.key, one.value); // a fold may have been cut short
      case change_kind::put: return unfolded_.put(one.key, one.value);
      case change_kind::erase: return unfolded_.erase(one.key);
      case change_kind::erase_prefix: return unfolded_.erase_prefix(one.key);
      }
    });
  }
  if (!is_legible) return record_errc::corrupt;
  if (const auto error = meaning_of(status)) return error;
  return unfolded_.empty() ? std::error_code{} : fold();
}

record_file::~record_file() { rest(); }

/// The writer writes what it has, folds the journal, and ends; a later submit() starts it again. What it could
/// not write is lost as a whole, so that nothing comes without what went before it.
void record_file::rest() {
  std::thread writer;
  {
    const std::lock_guard lock{mutex_};
    is_ending_ = true;
    writer = std::move(writer_);
  }
  changed_.notify_all();
  if (writer.joinable()) writer.join();
  std::vector<bell_ref> told; // let go without the mutex
  {
    const std::lock_guard lock{mutex_};
    is_ending_ = false;
    waiting_.clear();
    told.swap(told_);
  }
  changed_.notify_all();
}

// -- reading ------------------------------------------------------------------

std::error_code record_file::for_each(const reader& f) {
  rest();
  if (const auto error = fold()) return error; // else what stands in the journal would not be heard
  const statement rows = prepared("SELECT key, value FROM state ORDER BY key");
  if (!rows) return record_errc::corrupt;
  int status = SQLITE_ROW;
  while ((status = sqlite3_step(rows.get())) == SQLITE_ROW) f(column(*rows, 0), column(*rows, 1));
  return meaning_of(status);
}

record_file::wall_time record_file::wall_now() const {
  return options_.wall ? options_.wall() : std::chrono::system_clock::now();
}

// -- handing over -------------------------------------------------------------

std::uint64_t record_file::submit(change_set& changes, bell* told) {
  std::uint64_t ticket = 0;
  {
    const std::lock_guard lock{mutex_};
    if (waiting_.empty())
      std::swap(waiting_, changes);
    else
      waiting_.append(changes);
    if (told != nullptr) told_.emplace_back(*told);
    ticket = ++last_ticket_;
    if (!writer_.joinable()) writer_ = std::thread{[this] { write_on(); }};
  }
  changes.clear();
  changed_.notify_all();
  return ticket;
}

bool record_file::settle() {
  std::unique_lock lock{mutex_};
  const std::uint64_t wanted = last_ticket_;
  const std::uint64_t failures = failures_;
  const auto is_over = [this] { return !writer_.joinable() && !is_ending_; }; // nobody tries any more
  changed_.wait(lock, [&] { return committed() >= wanted || failures_ != failures || is_over(); });
  return committed() >= wanted;
}

std::error_code record_file::trouble() const {
  const std::lock_guard lock{mutex_};
  return trouble_;
}

// -- the writer ---------------------------------------------------------------

void record_file::write_on() {
  change_set present;
  std::vector<bell_ref> told;
  std::unique_lock lock{mutex_};
  for (;;) {
    changed_.wait(lock, [this] { return is_ending_ || !waiting_.empty(); });
    if (waiting_.empty()) break;
    std::swap(present, waiting_);
    std::swap(told, told_);
    const std::uint64_t ticket = last_ticket_;
    std::error_code error;
    for (;;) {
      lock.unlock();
      error = write_down(present);
      note(error);
      lock.lock();
      trouble_ = error;
      if (!error) break;
      ++failures_;
      changed_.notify_all();
      if (is_ending_) return; // nobody was promised anything about what is lost here
      changed_.wait_for(lock, options_.retry, [this] { return is_ending_; });
    }
    committed_.store(ticket, std::memory_order_release);
    changed_.notify_all();
    lock.unlock();
    for (const bell_ref& one : told) one.ring();
    told.clear();
    present.clear();
    // Nobody waits for this, and the journal keeps what it could not fold.
    if (unfolded_.size() >= options_.fold_at) static_cast<void>(fold());
    lock.lock();
  }
  lock.unlock();
  static_cast<void>(fold()); // for the next opening; if it fails, that does it
}

/// Of failures that follow each other the first has a line, and their end.
void record_file::note(std::error_code error) {
  if (error) failed_->add(1);
  if (error && !trouble_)
    options_.log.line(log_level::error, "records", "cannot write, tries again: " + error.message());
  if (!error && trouble_) options_.log.line(log_level::warning, "records", "writes again");
}

std::error_code record_file::write_down(const change_set& changes) {
  if (const auto error = append(changes)) return error;
  unfolded_.append(changes);
  transactions_.fetch_add(1, std::memory_order_relaxed);
  return {};
}

std::error_code record_file::append(const change_set& changes) {
  bool done = run(*begin_);
  for_each_part(changes.octets(), largest_row, [&](std::string_view row) {
    fill(*append_, 1, row);
    done = done && run(*append_);
  });
  if (done && run(*commit_)) return {};
  const auto error = meaning_of(sqlite3_extended_errcode(file_.get()));
  static_cast<void>(run(*roll_back_));
  return error ? error : std::error_code{record_errc::cannot_write};
}

std::error_code record_file::fold() {
  if (unfolded_.empty()) return {};
  std::error_code error = run(*begin_) ? carry_out(unfolded_) : std::error_code{record_errc::cannot_write};
  if (!error && (!run(*forget_) || !run(*commit_))) error = record_errc::cannot_write;
  if (error) {
    static_cast<void>(run(*roll_back_));
    return error;
  }
  unfolded_.clear();
  return {};
}

std::error_code record_file::carry_out(const change_set& changes) {
  change_summary all;
  if (!all.take(changes.octets())) return record_errc::corrupt;
  bool done = true;
  for (const std::string_view prefix : all.erased_prefixes()) {
    const std::string end = behind(prefix);
    fill(*erase_range_, 1, prefix);
    fill(*erase_range_, 2, end);
    done = done && run(*erase_range_);
  }
  all.for_each([&](std::string_view key, const last_word& word) {
    if (!done) return;
    sqlite3_stmt& how = word.is_erased ? *erase_ : *put_;
    fill(how, 1, key);
    if (!word.is_erased) fill(how, 2, word.value);
    done = run(how);
  });
  return done ? std::error_code{} : std::error_code{record_errc::cannot_write};
}

bool record_file::run(sqlite3_stmt& what) noexcept {
  const int status = sqlite3_step(&what);
  sqlite3_reset(&what);
  return status == SQLITE_DONE || status == SQLITE_ROW;
}

} // namespace troupe::runtime
