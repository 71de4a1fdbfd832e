#include "background_process.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <system_error>

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

} // namespace

background_process::background_process(const std::vector<std::string>& arguments) {
  int ends[2];
  if (arguments.empty() || ::pipe2(ends, O_CLOEXEC) != 0) return;
  std::vector<char*> words;
  for (const std::string& each : arguments)
    words.push_back(const_cast<char*>(each.c_str())); // exec keeps them
  words.push_back(nullptr);
  child_ = ::fork();
  if (child_ == 0) { // only what is allowed between fork and exec
    ::prctl(PR_SET_PDEATHSIG, SIGTERM);
    ::dup2(ends[1], STDOUT_FILENO);
    const int nowhere = ::open("/dev/null", O_WRONLY);
    if (nowhere >= 0) ::dup2(nowhere, STDERR_FILENO);
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
  if (child_ > 0) {
    ::kill(child_, SIGTERM);
    while (::waitpid(child_, nullptr, 0) < 0 && errno == EINTR) {}
  }
  if (output_ >= 0) ::close(output_);
}

std::string background_process::first_line() {
  std::string line;
  char next = 0;
  for (;;) {
    const auto count = output_ < 0 ? 0 : ::read(output_, &next, 1);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0 || next == '\n') return line;
    line.push_back(next);
  }
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
