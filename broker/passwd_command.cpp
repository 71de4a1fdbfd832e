#include "passwd_command.hpp"

#include "password_file.hpp"

#include <openssl/crypto.h>

#include <algorithm>
#include <istream>
#include <optional>
#include <ostream>
#include <string_view>

#include <termios.h>

namespace troupe::brokerage {

namespace {

constexpr int refused = 1;
constexpr int wrong_arguments = 2;

constexpr std::string_view usage =
    "usage: troupe-broker passwd [--delete] FILE USER\n"
    "  Makes or replaces the entry of USER in FILE, a password_file of troupe-broker (and FILE itself).\n"
    "  The password is asked for, or read from standard input: its first line.\n"
    "  A broker that runs reads FILE again on SIGHUP.\n";

/// What is typed is not seen while one of these lives.
class unseen {
public:
  explicit unseen(int terminal) : terminal_{terminal}, is_set_{tcgetattr(terminal, &before_) == 0} {
    if (!is_set_) return;
    termios silent = before_;
    silent.c_lflag &= ~static_cast<tcflag_t>(ECHO);
    static_cast<void>(tcsetattr(terminal, TCSAFLUSH, &silent));
  }
  ~unseen() {
    if (is_set_) static_cast<void>(tcsetattr(terminal_, TCSAFLUSH, &before_));
  }
  unseen(const unseen&) = delete;
  unseen& operator=(const unseen&) = delete;

private:
  int terminal_;
  termios before_{};
  bool is_set_;
};

std::string line_of(std::istream& input) {
  std::string line;
  std::getline(input, line);
  if (line.ends_with('\r')) line.pop_back();
  return line;
}

/// Empty: there is none to be had, and why was said.
std::string ask(std::istream& input, std::ostream& errors, int terminal) {
  std::string first;
  if (terminal < 0) {
    first = line_of(input);
  } else {
    const unseen while_typing{terminal};
    errors << "password: " << std::flush;
    first = line_of(input);
    errors << "\nagain: " << std::flush;
    std::string second = line_of(input);
    errors << '\n';
    const bool is_same = first == second;
    OPENSSL_cleanse(second.data(), second.size());
    if (!is_same) {
      errors << "troupe-broker passwd: these are not the same\n";
      return {};
    }
  }
  if (first.empty()) errors << "troupe-broker passwd: an empty password is none\n";
  return first;
}

int fail(std::ostream& errors, const std::string& what) {
  errors << "troupe-broker passwd: " << what << '\n';
  return refused;
}

int make_entry(const std::string& file, const std::string& user, std::istream& input, std::ostream& errors,
               int terminal) {
  std::string password = ask(input, errors, terminal);
  if (password.empty()) return refused;
  const auto hash = password_hash::make(protocol::as_octets(password));
  OPENSSL_cleanse(password.data(), password.size());
  if (!hash) return fail(errors, "there is no memory or no source of chance");
  if (const auto wrong = set_password(file, user, *hash)) return fail(errors, file + ": " + wrong.message());
  return 0;
}

} // namespace

int passwd_command(const std::vector<std::string>& arguments, std::istream& input, std::ostream& errors,
                   int terminal) {
  std::vector<std::string> names = arguments;
  const bool is_delete = std::erase(names, "--delete") != 0;
  const bool is_option =
      std::any_of(names.begin(), names.end(), [](const auto& one) { return one.starts_with("--"); });
  if (names.size() != 2 || is_option) {
    errors << usage;
    return wrong_arguments;
  }
  if (!is_user_name(names[1])) {
    errors << "troupe-broker passwd: a user's name holds no colon and no control character,"
              " and does not begin with #\n";
    return wrong_arguments;
  }
  if (!is_delete) return make_entry(names[0], names[1], input, errors, terminal);
  const auto wrong = remove_password(names[0], names[1]);
  if (wrong == std::errc::invalid_argument) return fail(errors, names[0] + ": no user '" + names[1] + "'");
  return wrong ? fail(errors, names[0] + ": " + wrong.message()) : 0;
}

} // namespace troupe::brokerage
