// websocket_dialogue: how an HTTP/1.1 connection becomes a WebSocket that carries MQTT.
//
// Lives here: websocket_request (a client's side), websocket_answer (a server's).
// Holds:   RFC 6455, section 4; the sub-protocol is "mqtt" on both sides [MQTT-6.0.0-3] [MQTT-6.0.0-4];
//          no extensions.
// Threads: belongs to one connection.
// Errors:  web_errc; http_status() of a server that answers anything but 101. Whom a server refuses, it
//          tells why: 400, 404, 405, 426.
#pragma once

#include "chance.hpp"
#include "dialogue.hpp"
#include "web_options.hpp"

#include <memory>
#include <string>
#include <vector>

namespace troupe::runtime {

/// `authority` and `path` are the endpoint's.
std::unique_ptr<dialogue> websocket_request(const std::string& authority, const std::string& path,
                                            const std::vector<web_header>& headers,
                                            chance_source chance = system_chance);
/// `path`: the only one that is answered; "/": all.
std::unique_ptr<dialogue> websocket_answer(std::string path);

/// The error of the first header that can not be sent.
std::error_code check_headers(const std::vector<web_header>& headers) noexcept;

/// What a server makes of a client's key, RFC 6455, 4.2.2.
std::string websocket_accept_key(const std::string& key);

} // namespace troupe::runtime
