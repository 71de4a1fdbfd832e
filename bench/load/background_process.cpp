#include "background_process.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <system_error>
#include <utility>

namespace troupe::bench {

namespace {

/// Of all threads that still run; zero where the kernel does not say.
double scheduled_seconds(const std::string& folder) {
  double sum = 0;
  std::error_code problem;
  for (const auto& each : std::filesystem::directory_iterator{folder + "/task", problem}) {
    std::ifstream file{each.path() / "schedstat"};
    double nanoseconds = 0;
    if (file >> nanoseconds) sum += nanoseconds;
  }
  return sum / 1e9;
}

/// As read(2), but for interruptions; 0: it is over.
std::size_t read_some(int from, char* to, std::size_t size) {
  for (;;) {
    const auto count = from < 0 ? 0 : ::read(from, to, size);
    if (count >= 0) return static_cast<std::size_t>(count);
    if (errno != EINTR) return 0;
  }
}

} // namespace

background_process::background_process(const std::vector<std::string>& arguments, child_errors errors) {
  int ends[2];
  if (arguments.empty() || ::pipe2(ends, O_CLOEXEC) != 0) return;
  std::vector<char*> words;
  for (const std::string& each : arguments)
    words.push_back(const_cast<char*>(each.c_str())); // exec keeps them
  words.push_back(nullptr);
  const pid_t parent = ::getpid();
  child_ = ::fork();
  if (child_ == 0) { // only what is allowed between fork and exec
    ::prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (::getppid() != parent) ::_exit(127); // it has gone meanwhile
    ::setpgid(0, 0);
    const int nowhere = ::open("/dev/null", O_RDWR | O_CLOEXEC);
    ::dup2(nowhere, STDIN_FILENO);
    ::dup2(ends[1], STDOUT_FILENO);
    if (errors != child_errors::shown)
      ::dup2(errors == child_errors::hidden ? nowhere : ends[1], STDERR_FILENO);
    sigset_t none;
    sigemptyset(&none);
    ::sigprocmask(SIG_SETMASK, &none, nullptr);
    ::execvp(words[0], words.data());
    ::_exit(127);
  }
  ::close(ends[1]);
  output_ = ends[0];
}

background_process::~background_process() {
  if (child_ > 0) ::kill(child_, SIGTERM);
  wait();
  if (output_ >= 0) ::close(output_);
}

std::string background_process::first_line() {
  std::string line;
  char next = 0;
  while (read_some(output_, &next, 1) == 1 && next != '\n') line.push_back(next);
  return line;
}

bool background_process::says(std::string_view word, std::chrono::milliseconds patience) {
  const auto until = std::chrono::steady_clock::now() + patience;
  std::string line;
  for (;;) {
    const auto left =
        std::chrono::ceil<std::chrono::milliseconds>(until - std::chrono::steady_clock::now()).count();
    pollfd wish{output_, POLLIN, 0};
    const int ready = ::poll(&wish, 1, static_cast<int>(std::max<std::int64_t>(left, 0)));
    if (ready < 0 && errno == EINTR) continue;
    char next = 0;
    if (ready <= 0 || read_some(output_, &next, 1) != 1) return false;
    if (next != '\n') {
      line.push_back(next);
      continue;
    }
    if (line.find(word) != std::string::npos) return true;
    line.clear();
  }
}

std::string background_process::rest() {
  std::string text;
  std::array<char, 65'536> buffer;
  while (const std::size_t count = read_some(output_, buffer.data(), buffer.size()))
    text.append(buffer.data(), count);
  return text;
}

int background_process::wait() {
  if (child_ <= 0) return 127;
  const pid_t child = std::exchange(child_, -1);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0)
    if (errno != EINTR) return 127;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

process_usage background_process::usage() const {
  process_usage result;
  if (child_ <= 0) return result;
  const std::string folder = "/proc/" + std::to_string(child_);
  std::ifstream stat{folder + "/stat"};
  std::string text;
  std::getline(stat, text);
  std::istringstream words{text.substr(std::min(text.size(), text.rfind(')') + 1))};
  std::string word;
  double ticks = 0;
  // After the name: state is the first, utime the 12th, stime the 13th.
  for (int i = 1; i <= 13 && words >> word; ++i)
    if (i >= 12) ticks += std::stod(word);
  result.processor_seconds = ticks / static_cast<double>(::sysconf(_SC_CLK_TCK));
  // The scheduler counts nanoseconds, where the kernel shows them; ticks are 10 ms.
  if (const double exact = scheduled_seconds(folder); exact > 0) result.processor_seconds = exact;
  std::ifstream status{folder + "/status"};
  while (std::getline(status, text))
    if (text.starts_with("VmHWM:")) result.peak_resident = std::stoull(text.substr(6)) * 1'024;
  return result;
}

} // namespace troupe::bench
