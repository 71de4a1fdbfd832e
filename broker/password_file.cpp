#include "password_file.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <iterator>
#include <optional>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace troupe::brokerage {

namespace {

std::error_code last_error() noexcept { return {errno, std::generic_category()}; }

bool is_comment(std::string_view line) noexcept { return line.empty() || line.front() == '#'; }

std::string_view take_line(std::string_view& text) noexcept {
  const std::size_t end = std::min(text.find('\n'), text.size());
  std::string_view line = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

std::string_view name_in(std::string_view line) noexcept {
  return is_comment(line) ? std::string_view{} : line.substr(0, line.find(':'));
}

std::optional<std::string> text_of(const std::string& path) {
  std::ifstream file{path, std::ios::binary};
  if (!file) return {};
  return std::string{std::istreambuf_iterator<char>{file}, {}};
}

bool write_all(int to, std::string_view text) noexcept {
  while (!text.empty()) {
    const auto done = ::write(to, text.data(), text.size());
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) return false;
    text.remove_prefix(static_cast<std::size_t>(done));
  }
  return true;
}

/// The file itself where `path` is a link to it.
std::string real_path(const std::string& path) {
  char* const found = ::realpath(path.c_str(), nullptr);
  if (found == nullptr) return path;
  std::string real{found};
  std::free(found); // NOLINT(cppcoreguidelines-no-malloc): realpath's
  return real;
}

/// A lost name would bring back the old file after a crash, not half of one: no reason to fail.
void sync_folder(const std::string& path) noexcept {
  const std::size_t end = path.rfind('/');
  const std::string folder = end == std::string::npos ? "." : path.substr(0, end + 1);
  const int open = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (open < 0) return;
  static_cast<void>(::fsync(open));
  ::close(open);
}

std::error_code replace_file(const std::string& link, std::string_view text) {
  const std::string path = real_path(link);
  std::string temporary = path + '.' + std::string(6, 'X'); // the place of what makes it unique
  const int open = ::mkostemp(temporary.data(), O_CLOEXEC); // 0600
  if (open < 0) return last_error();
  struct stat earlier {};
  if (::stat(path.c_str(), &earlier) == 0) // the broker's user goes on owning it, where we may say so
    static_cast<void>(::fchown(open, earlier.st_uid, earlier.st_gid) == 0);
  const bool is_written = write_all(open, text) && ::fsync(open) == 0;
  std::error_code wrong = is_written ? std::error_code{} : last_error();
  ::close(open);
  if (!wrong && std::rename(temporary.c_str(), path.c_str()) != 0) wrong = last_error();
  if (wrong)
    ::unlink(temporary.c_str());
  else
    sync_folder(path);
  return wrong;
}

/// All lines with `entry` in the place of the user's; `is_known` says whether there was one.
std::string with_entry(std::string_view text, std::string_view user, std::string_view entry, bool& is_known) {
  std::string result;
  is_known = false;
  while (!text.empty()) {
    const std::string_view line = take_line(text);
    const bool is_his = name_in(line) == user;
    if (!is_his) result.append(line) += '\n';
    if (is_his && !std::exchange(is_known, true) && !entry.empty()) result.append(entry) += '\n';
  }
  if (!is_known && !entry.empty()) result.append(entry) += '\n';
  return result;
}

} // namespace

bool is_user_name(std::string_view name) noexcept {
  return !is_comment(name) && std::none_of(name.begin(), name.end(), [](char c) {
    return c == ':' || static_cast<unsigned char>(c) < 0x20 || c == 0x7F;
  });
}

password_reading parse_passwords(std::string_view text, const std::string& name) {
  password_reading result;
  for (std::uint32_t number = 1; !text.empty(); ++number) {
    const std::string_view line = take_line(text);
    if (is_comment(line)) continue;
    const auto wrong = [&](const char* what) { result.problems.push_back({name, number, "", what}); };
    const std::size_t colon = line.find(':');
    const std::string_view user = line.substr(0, colon);
    if (colon == std::string_view::npos || !is_user_name(user)) {
      wrong("wants name:hash, as 'troupe-broker passwd' writes it");
      continue;
    }
    auto hash = password_hash::parse(line.substr(colon + 1));
    if (!hash)
      wrong("has no hash that can be read, or one of too high a cost");
    else if (!result.table.emplace(user, std::move(*hash)).second)
      wrong("names a user twice");
  }
  return result;
}

password_reading read_passwords(const std::string& path) {
  const auto text = text_of(path);
  if (!text) return {.problems = {{path, 0, "", "cannot be read"}}};
  return parse_passwords(*text, path);
}

std::error_code set_password(const std::string& path, std::string_view user, const password_hash& hash) {
  if (!is_user_name(user)) return std::make_error_code(std::errc::invalid_argument);
  const auto earlier = text_of(path);
  if (!earlier && errno != ENOENT) return last_error();
  bool is_known = false;
  return replace_file(
      path, with_entry(earlier.value_or(""), user, std::string{user} + ':' + hash.text(), is_known));
}

std::error_code remove_password(const std::string& path, std::string_view user) {
  const auto earlier = text_of(path);
  if (!earlier) return last_error();
  bool is_known = false;
  const std::string text = with_entry(*earlier, user, {}, is_known);
  return is_known ? replace_file(path, text) : std::make_error_code(std::errc::invalid_argument);
}

} // namespace troupe::brokerage
