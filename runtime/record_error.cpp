#include "record_error.hpp"

#include <string>

namespace troupe::runtime {

namespace {

const char* sentence(record_errc code) noexcept {
  switch (code) {
  case record_errc::cannot_open: return "the file cannot be opened";
  case record_errc::locked: return "the file is in use by another process";
  case record_errc::foreign: return "the file belongs to another program";
  case record_errc::corrupt: return "the file is damaged";
  case record_errc::newer_version: return "the file was written by a later version";
  case record_errc::other_owner: return "the file belongs to another client id";
  case record_errc::cannot_write: return "the file cannot be written";
  }
  return "unknown";
}

class category final : public std::error_category {
public:
  const char* name() const noexcept override { return "troupe.records"; }
  std::string message(int code) const override { return sentence(static_cast<record_errc>(code)); }
};

} // namespace

const std::error_category& record_category() noexcept {
  static const category instance;
  return instance;
}

} // namespace troupe::runtime
