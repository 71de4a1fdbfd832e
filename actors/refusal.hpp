// refusal: what a handler throws to refuse a message in words of its own.
//
// Lives here: refusal.
// Holds:   with ack_policy::handled, PUBACK or PUBREC bear the reason (5.0) where those may bear it, else
//          unspecified_error; 3.1.1 cannot say so and leaves the message unacknowledged. With any other
//          policy it is an exception like others. When several handlers refuse a message, the last one's
//          reason is said.
#pragma once

#include "../protocol/reason_code.hpp"

#include <exception>

namespace troupe {

class refusal : public std::exception {
public:
  explicit refusal(protocol::reason_code reason) noexcept : reason_{reason} {}
  protocol::reason_code reason() const noexcept { return reason_; }
  const char* what() const noexcept override { return "a handler refused a message"; }

private:
  protocol::reason_code reason_;
};

} // namespace troupe
