// password_file: who has which password.
//
// Lives here: password_table; reading and changing the file it comes from.
// Holds:   one "name:hash" a line; empty lines and those that begin with # are kept and mean nothing. The
//          file is replaced as a whole: who reads it sees the old one or the new one; it is for its owner
//          alone (0600).
// Threads: plain functions and values.
// Errors:  what is wrong with a file are problems with its lines; what the system refuses is its error.
#pragma once

#include "password_hash.hpp"

#include "../config/problem.hpp"

#include <string>
#include <string_view>
#include <system_error>
#include <unordered_map>
#include <vector>

namespace troupe::brokerage {

using password_table = std::unordered_map<std::string, password_hash>;

struct password_reading {
  password_table table{};
  std::vector<config::problem> problems{}; // if any, the table is not to be used
};

password_reading parse_passwords(std::string_view text, const std::string& name);
password_reading read_passwords(const std::string& path);

/// Whether a file can hold it: not empty, no control characters, no colon, no # in front.
bool is_user_name(std::string_view name) noexcept;
/// Makes or replaces the entry of `user`, and the file if there is none.
std::error_code set_password(const std::string& path, std::string_view user, const password_hash& hash);
/// std::errc::invalid_argument: there is no such user.
std::error_code remove_password(const std::string& path, std::string_view user);

} // namespace troupe::brokerage
