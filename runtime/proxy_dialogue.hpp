// proxy_dialogue: how a proxy is asked for a connection to somebody else.
//
// Lives here: ask_proxy(): HTTP CONNECT (RFC 9110, 9.3.6) and SOCKS5 (RFC 1928, 1929).
// Holds:   a name is passed on as a name: the proxy resolves it. A login is offered when there is one.
// Threads: belongs to one connection.
// Errors:  web_errc; http_status() of what an HTTP proxy answers but for 2xx.
#pragma once

#include "dialogue.hpp"
#include "endpoint.hpp"

#include <memory>
#include <string>

namespace troupe::runtime {

std::unique_ptr<dialogue> ask_proxy(const proxy_endpoint& proxy, const std::string& host, std::uint16_t port);

} // namespace troupe::runtime
