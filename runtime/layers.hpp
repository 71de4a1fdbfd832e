// layers: which layers lie over the socket of a connection.
//
// Lives here: client_layers(), server_layers().
// Holds:   the bare socket where there are none; from the socket up: proxy, TLS, WebSocket.
// Threads: the thread of `where`.
// Errors:  a null stream: there is no memory.
#pragma once

#include "octet_stream.hpp"

#include <memory>

namespace troupe::runtime {

class home;
struct accept_options;
struct dial_options;
struct endpoint;

/// Whether a stream to it has to be greeted.
bool has_layers(const endpoint& to, const dial_options& options) noexcept;
std::unique_ptr<octet_stream> client_layers(home& where, std::unique_ptr<octet_stream> socket,
                                            const endpoint& to, const dial_options& options);
std::unique_ptr<octet_stream> server_layers(home& where, std::unique_ptr<octet_stream> socket,
                                            const endpoint& at, const accept_options& options);

} // namespace troupe::runtime
