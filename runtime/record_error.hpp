// record_error: why a file of records cannot be used.
//
// Lives here: record_errc and its category.
#pragma once

#include <system_error>

namespace troupe::runtime {

enum class record_errc {
  cannot_open = 1, // no such folder, no permission, not a file
  locked,          // another process, or another part of this one, has it
  foreign,         // a file of somebody else
  corrupt,         // ours once, damaged since
  newer_version,   // written by a later version, whose form is not known here
  other_owner,     // of a client with another client id
  cannot_write,    // the disk is full, or fails
};

const std::error_category& record_category() noexcept;

inline std::error_code make_error_code(record_errc code) noexcept {
  return {static_cast<int>(code), record_category()};
}

} // namespace troupe::runtime

template <>
struct std::is_error_code_enum<troupe::runtime::record_errc> : std::true_type {};
