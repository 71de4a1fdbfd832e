// outcome: how a request ended: verdict of the peer, or error here, and who ended it.
//
// Lives here: outcome.
// Holds:   trivially small: texts (reason string) are kept only when the peer sent some.
// Errors:  error() is empty for everything the peer decided; reason() >= 0x80 is a refusal.
#pragma once

#include "../protocol/action.hpp"
#include "../protocol/errc.hpp"
#include "../protocol/reason_code.hpp"

#include <memory>
#include <string>
#include <system_error>

namespace troupe {

using protocol::initiator;
using protocol::reason_code;

class outcome {
public:
  outcome() noexcept = default;
  explicit outcome(reason_code reason, initiator by = initiator::peer) noexcept : reason_{reason}, by_{by} {}
  explicit outcome(std::error_code error, initiator by = initiator::library) noexcept
      : error_{error}, by_{by} {}

  /// Delivered (publish), granted (subscribe), done: no error and no refusal.
  bool ok() const noexcept { return !error_ && static_cast<std::uint8_t>(reason_) < 0x80; }
  explicit operator bool() const noexcept { return ok(); }
  reason_code reason() const noexcept { return reason_; }
  std::error_code error() const noexcept { return error_; }
  initiator by() const noexcept { return by_; }
  /// A sentence for people: error message or the reason's name.
  std::string text() const;

private:
  std::error_code error_{};
  reason_code reason_ = reason_code::success;
  initiator by_ = initiator::library;
};

} // namespace troupe
