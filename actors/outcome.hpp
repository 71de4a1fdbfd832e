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
      : category_{error ? &error.category() : nullptr}, value_{error.value()}, by_{by} {}

  /// Delivered (publish), granted (subscribe), done: no error and no refusal.
  bool ok() const noexcept { return category_ == nullptr && static_cast<std::uint8_t>(reason_) < 0x80; }
  explicit operator bool() const noexcept { return ok(); }
  reason_code reason() const noexcept { return reason_; }
  std::error_code error() const noexcept {
    return category_ == nullptr ? std::error_code{} : std::error_code{value_, *category_};
  }
  initiator by() const noexcept { return by_; }
  /// A sentence for people: error message or the reason's name.
  std::string text() const;

private:
  // As a std::error_code without asking the library for its category when there is none.
  const std::error_category* category_ = nullptr;
  int value_ = 0;
  reason_code reason_ = reason_code::success;
  initiator by_ = initiator::library;
};

} // namespace troupe
