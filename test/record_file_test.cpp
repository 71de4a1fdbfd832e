// A file of records: what it keeps, what it refuses, what survives.
#include <troupe/runtime/record_file.hpp>

#include "support/scratch_folder.hpp"

#include <gtest/gtest.h>

#include <csignal>
#include <fstream>
#include <latch>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include <sqlite3.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {

using namespace troupe;
using runtime::change_set;
using runtime::record_errc;
using runtime::record_file;

runtime::record_file_options ours() { return {.application = 0x54455354, .version = 3}; }

std::map<std::string, std::string> contents(record_file& file) {
  std::map<std::string, std::string> all;
  EXPECT_FALSE(file.for_each([&](std::string_view key, std::string_view value) {
    EXPECT_TRUE(all.empty() || all.rbegin()->first < key) << "not by key";
    all.emplace(key, value);
  }));
  return all;
}

std::map<std::string, std::string> reopened(const std::string& path) {
  auto file = record_file::open(path, ours());
  EXPECT_TRUE(file) << file.error().message();
  return file ? contents(**file) : std::map<std::string, std::string>{};
}

std::error_code refused(const std::string& path, runtime::record_file_options options = ours()) {
  const auto file = record_file::open(path, std::move(options));
  return file ? std::error_code{} : file.error();
}

void make(const std::string& path) {
  auto file = record_file::open(path, ours());
  ASSERT_TRUE(file);
  change_set changes;
  for (int each = 0; each < 2'000; ++each) changes.add("key" + std::to_string(each), std::string(100, 'v'));
  (*file)->submit(changes, nullptr);
  EXPECT_TRUE((*file)->settle());
}

/// No file of this process grows while one of these lives, as on a full disk.
class full_disk {
public:
  full_disk() {
    EXPECT_EQ(::getrlimit(RLIMIT_FSIZE, &before_), 0);
    const rlimit none{1, before_.rlim_max};
    EXPECT_EQ(::setrlimit(RLIMIT_FSIZE, &none), 0);
  }
  ~full_disk() {
    EXPECT_EQ(::setrlimit(RLIMIT_FSIZE, &before_), 0);
    std::signal(SIGXFSZ, signal_);
  }
  full_disk(const full_disk&) = delete;
  full_disk& operator=(const full_disk&) = delete;

private:
  rlimit before_{};
  void (*signal_)(int) = std::signal(SIGXFSZ, SIG_IGN);
};

TEST(record_file, keeps_what_was_committed) {
  const test::scratch_file path{"records"};
  {
    auto file = record_file::open(path, ours());
    ASSERT_TRUE(file) << file.error().message();
    change_set changes;
    changes.add("a", "1");
    changes.add("b", "");
    changes.put("c", std::string(100'000, 'x'));
    const auto ticket = (*file)->submit(changes, nullptr);
    EXPECT_TRUE(changes.empty());
    EXPECT_TRUE((*file)->settle());
    EXPECT_EQ((*file)->committed(), ticket);
    changes.erase("a");
    changes.put("b", "2");
    (*file)->submit(changes, nullptr);
  } // its end writes what waits
  const std::map<std::string, std::string> expected{{"b", "2"}, {"c", std::string(100'000, 'x')}};
  EXPECT_EQ(reopened(path), expected);
}

TEST(record_file, erases_all_keys_with_a_prefix_and_no_other) {
  const test::scratch_file path{"records"};
  {
    auto file = record_file::open(path, ours());
    ASSERT_TRUE(file);
    change_set changes;
    for (const char* key : {"s1", "s1a", "s1\xFF", "s2", "s", "\xFF\xFF", "\xFF\xFFz"}) changes.add(key, "v");
    (*file)->submit(changes, nullptr);
    EXPECT_TRUE((*file)->settle());
    changes.erase_prefix("s1");
    changes.erase_prefix("\xFF\xFF");
    (*file)->submit(changes, nullptr);
  }
  const std::map<std::string, std::string> expected{{"s", "v"}, {"s2", "v"}};
  EXPECT_EQ(reopened(path), expected);
}

TEST(record_file, folds_the_same_state_whenever_it_folds) {
  for (const std::size_t fold_at : {std::size_t{1}, std::size_t{300}, std::size_t{1} << 30U}) {
    const test::scratch_file path{"records"};
    auto options = ours();
    options.fold_at = fold_at;
    std::map<std::string, std::string> expected;
    {
      auto file = record_file::open(path, options);
      ASSERT_TRUE(file);
      change_set changes;
      for (unsigned step = 0; step < 500; ++step) {
        const std::string key = "k" + std::to_string(step * 7 % 61);
        const std::string value = std::to_string(step);
        if (step % 5 == 4) {
          changes.erase(key);
          expected.erase(key);
        } else if (expected.contains(key)) {
          changes.put(key, value);
          expected[key] = value;
        } else {
          changes.put(key, value);
          expected[key] = value;
        }
        changes.add("passing" + std::to_string(step), value);
        if (step % 3 == 0) (*file)->submit(changes, nullptr);
        changes.erase("passing" + std::to_string(step));
      }
      (*file)->submit(changes, nullptr);
    }
    EXPECT_EQ(reopened(path), expected) << fold_at;
  }
}

TEST(record_file, survives_kill_with_all_that_was_committed) {
  const test::scratch_file path{"records"};
  int told[2];
  ASSERT_EQ(pipe(told), 0);
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    auto options = ours();
    options.fold_at = 400; // some of it is folded, some not
    auto file = record_file::open(path, options);
    change_set changes;
    for (unsigned each = 0; file; ++each) {
      changes.add("n" + std::to_string(each), "kept");
      (*file)->submit(changes, nullptr);
      if ((*file)->settle() && write(told[1], &each, sizeof each) != sizeof each) break;
    }
    _exit(1);
  }
  close(told[1]); // or its end would never be seen
  unsigned last = 0;
  while (last < 60) ASSERT_EQ(read(told[0], &last, sizeof last), static_cast<ssize_t>(sizeof last));
  kill(child, SIGKILL);
  int status = 0;
  waitpid(child, &status, 0);
  while (read(told[0], &last, sizeof last) == sizeof last) {}
  close(told[0]);
  const auto kept = reopened(path);
  for (unsigned each = 0; each <= last; ++each)
    EXPECT_TRUE(kept.contains("n" + std::to_string(each))) << each;
  EXPECT_LE(kept.size(), last + 2); // the one that was on its way
}

TEST(record_file, refuses_a_file_that_is_in_use) {
  const test::scratch_file path{"records"};
  auto first = record_file::open(path, ours());
  ASSERT_TRUE(first);
  EXPECT_EQ(refused(path), record_errc::locked);
}

TEST(record_file, refuses_what_is_not_its_own_and_leaves_it_alone) {
  const test::scratch_file text{"records"};
  const std::string said(5'000, 'n');
  std::ofstream{text.path()} << said;
  EXPECT_EQ(refused(text), record_errc::foreign);
  std::ifstream again{text.path()};
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>{again}, {}), said);

  const test::scratch_file other{"records"};
  sqlite3* database = nullptr;
  ASSERT_EQ(sqlite3_open(other.path().c_str(), &database), SQLITE_OK);
  ASSERT_EQ(sqlite3_exec(database, "CREATE TABLE theirs(x)", nullptr, nullptr, nullptr), SQLITE_OK);
  sqlite3_close(database);
  EXPECT_EQ(refused(other), record_errc::foreign);

  const test::scratch_file mine{"records"};
  make(mine);
  auto options = ours();
  options.application = 1;
  EXPECT_EQ(refused(mine, options), record_errc::foreign);
}

TEST(record_file, refuses_a_later_version) {
  const test::scratch_file path{"records"};
  make(path);
  auto options = ours();
  options.version = 2;
  EXPECT_EQ(refused(path, options), record_errc::newer_version);
}

TEST(record_file, refuses_a_damaged_file) {
  const test::scratch_file path{"records"};
  make(path);
  {
    std::fstream file{path.path(), std::ios::in | std::ios::out | std::ios::binary};
    file.seekp(4'096);
    file << std::string(40'000, '\x5A');
  }
  EXPECT_EQ(refused(path), record_errc::corrupt);
}

TEST(record_file, refuses_a_place_where_no_file_can_be) {
  EXPECT_EQ(refused("/nonexistent/folder/records"), record_errc::cannot_open);
  EXPECT_EQ(refused("/tmp"), record_errc::cannot_open);
  EXPECT_EQ(std::error_code{record_errc::locked}.message(), "the file is in use by another process");
}

/// Holds whoever rings it until the test lets go: here, the file's writer.
struct holding_bell final : runtime::bell {
  void ring() noexcept override {
    is_held.count_down();
    may_go.wait();
  }
  void retain() noexcept override {}
  void release() noexcept override {}
  std::latch is_held{1};
  std::latch may_go{1};
};

TEST(record_file, takes_many_hand_overs_in_few_transactions) {
  const test::scratch_file path{"records"};
  auto file = record_file::open(path, ours());
  ASSERT_TRUE(file);
  holding_bell bell;
  change_set changes;
  for (unsigned each = 0; each < 20'000; ++each) {
    changes.add("k" + std::to_string(each), "v");
    (*file)->submit(changes, each == 0 ? &bell : nullptr);
    if (each == 0) bell.is_held.wait();
  }
  EXPECT_EQ((*file)->transactions(), 1U);
  bell.may_go.count_down();
  EXPECT_TRUE((*file)->settle());
  EXPECT_EQ((*file)->transactions(), 2U) << "all that came while the writer was busy, together";
  EXPECT_EQ((*file)->committed(), 20'000U);
}

TEST(record_file, says_and_counts_that_the_disk_fails_and_says_that_it_is_over) {
  const test::scratch_file path{"records"};
  std::vector<std::string> lines; // of the writer's thread, which ends before they are looked at
  auto options = ours();
  options.retry = std::chrono::milliseconds{1};
  options.log = runtime::logger{[&](log_level, std::string_view where, std::string_view what) {
    lines.push_back(std::string{where} + ": " + std::string{what});
  }};
  auto file = record_file::open(path, options);
  ASSERT_TRUE(file);
  const auto failures = (*file)->failures();
  change_set changes;
  {
    const full_disk now;
    changes.put("key", "v");
    (*file)->submit(changes, nullptr);
    EXPECT_FALSE((*file)->settle());
    while (failures->value() < 3) std::this_thread::yield();
  }
  while ((*file)->committed() != 1) std::this_thread::yield();
  const std::uint64_t all = failures->value();
  EXPECT_EQ(contents(**file), (std::map<std::string, std::string>{{"key", "v"}}));
  (*file).reset();
  ASSERT_EQ(lines.size(), 2U) << "one for each change, not one for each attempt";
  EXPECT_TRUE(lines[0].starts_with("records: cannot write, tries again: "));
  EXPECT_EQ(lines[1], "records: writes again");
  EXPECT_EQ(failures->value(), all);
}

TEST(record_file, reads_all_that_was_committed_or_nothing) {
  const test::scratch_file path{"records"};
  auto options = ours();
  options.retry = std::chrono::milliseconds{1};
  auto file = record_file::open(path, options);
  ASSERT_TRUE(file);
  change_set changes;
  changes.put("kept", "v");
  (*file)->submit(changes, nullptr);
  ASSERT_TRUE((*file)->settle());
  std::error_code error;
  {
    const full_disk now;
    changes.put("lost", "v");
    (*file)->submit(changes, nullptr);
    EXPECT_FALSE((*file)->settle());
    EXPECT_EQ((*file)->trouble(), record_errc::cannot_write);
    changes.put("lost with it", "v");
    (*file)->submit(changes, nullptr);
    error = (*file)->for_each([](std::string_view, std::string_view) { ADD_FAILURE() << "half of it"; });
  }
  EXPECT_EQ(error, record_errc::cannot_write);
  EXPECT_FALSE((*file)->settle()) << "nobody is at it any more";
  EXPECT_EQ(contents(**file), (std::map<std::string, std::string>{{"kept", "v"}}));
  changes.put("later", "v");
  (*file)->submit(changes, nullptr);
  EXPECT_TRUE((*file)->settle());
  EXPECT_EQ(contents(**file), (std::map<std::string, std::string>{{"kept", "v"}, {"later", "v"}}));
}

} // namespace
