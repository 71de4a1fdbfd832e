// redirect: where a broker sends us when it says "use another server" or "server moved" (section 4.11).
//
// Lives here: redirect_errc (why a client dials somebody else, or nobody), references_of.
// Holds:   a Server Reference is a list with blanks in between; each entry is a name, name:port, [v6]:port or
//          one of our URIs. What names no scheme keeps that of the broker who said it, and a WebSocket's
//          path. From TLS nothing leads to a way without; a broker in the network sends nobody to unix:// or
//          loopback://; a login in a reference is not taken.
// Errors:  what is no reference, or leads where it must not, is stepped over.
#pragma once

#include "../runtime/endpoint.hpp"

#include <string_view>
#include <system_error>
#include <vector>

namespace troupe {

enum class redirect_errc {
  use_another_server = 1, // the broker asks for it, this time
  server_moved,           // the broker asks for it, for good
  no_usable_reference,    // it named somebody, whom we do not dial
  too_many,               // one sent us to the next so often that it counts as a failure
};

std::error_code make_error_code(redirect_errc code) noexcept;

namespace actors {

/// The brokers that `text`, said by the broker at `from`, leads to: the first few of them.
std::vector<runtime::endpoint> references_of(std::string_view text, const runtime::endpoint& from);

} // namespace actors
} // namespace troupe

template <>
struct std::is_error_code_enum<troupe::redirect_errc> : std::true_type {};
