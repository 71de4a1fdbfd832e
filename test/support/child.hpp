// child: a program that a test starts, and what it prints.
//
// Lives here: child.
// Holds:   standard output is kept; standard error goes to the test's. A child that outlives its patience
//          is killed and the test fails. No shell takes part.
#pragma once

#include <gtest/gtest.h>

#include <csignal>
#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <string>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>
#include <vector>

namespace troupe::test {

class child {
public:
  explicit child(std::vector<std::string> command) : command_{std::move(command)} {
    int ends[2] = {-1, -1};
    if (::pipe2(ends, O_CLOEXEC) != 0) return;
    output_ = ends[0];
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    std::vector<char*> words;
    for (std::string& word : command_) words.push_back(word.data());
    words.push_back(nullptr);
    if (::posix_spawnp(&pid_, words[0], &actions, nullptr, words.data(), environ) != 0) pid_ = -1;
    posix_spawn_file_actions_destroy(&actions);
    ::close(ends[1]);
  }
  ~child() {
    if (pid_ > 0) {
      ::kill(pid_, SIGKILL);
      ::waitpid(pid_, nullptr, 0);
    }
    if (output_ >= 0) ::close(output_);
  }
  child(const child&) = delete;
  child& operator=(const child&) = delete;

  bool is_started() const { return pid_ > 0; }
  bool is_running() const {
    siginfo_t how{};
    return pid_ > 0 && ::waitid(P_PID, static_cast<id_t>(pid_), &how, WEXITED | WNOHANG | WNOWAIT) == 0
           && how.si_pid == 0;
  }
  void signal(int which) const { ::kill(pid_, which); }
  /// The first line that has not been read yet, without its end.
  std::string line() {
    for (;;) {
      if (const auto end = text_.find('\n'); end != std::string::npos) {
        std::string first = text_.substr(0, end);
        text_.erase(0, end + 1);
        return first;
      }
      if (!read()) return std::exchange(text_, {});
    }
  }
  /// Everything it prints until it ends.
  std::string output() {
    while (read()) {}
    return std::exchange(text_, {});
  }
  /// Waits for its end; -1 when it was killed.
  int exit_status() {
    while (read()) {}
    int status = 0;
    if (pid_ <= 0 || ::waitpid(std::exchange(pid_, -1), &status, 0) < 0) return -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }

private:
  bool read() {
    pollfd wait{output_, POLLIN, 0};
    if (::poll(&wait, 1, 60'000) <= 0) {
      ADD_FAILURE() << command_[0] << " was silent for a minute";
      return false;
    }
    char some[65'536];
    const auto got = ::read(output_, some, sizeof some);
    if (got <= 0) return false;
    text_.append(some, static_cast<std::size_t>(got));
    return true;
  }

  std::vector<std::string> command_;
  pid_t pid_ = -1;
  int output_ = -1;
  std::string text_{};
};

} // namespace troupe::test
