// loopback_socket: TCP within this machine, for the stand-ins of brokers and networks.
//
// Lives here: listen_loopback(), port_of(), connect_loopback(), set_no_delay(), free_port().
// Holds:   sockets block, are closed on exec and belong to the caller.
// Errors:  listen_loopback() throws std::system_error; connect_loopback() answers -1.
#pragma once

#include <cstdint>

namespace troupe::bench {

/// 0: a port that is free.
int listen_loopback(std::uint16_t port);
std::uint16_t port_of(int socket);
int connect_loopback(std::uint16_t port);
void set_no_delay(int socket) noexcept;
/// A port that was free a moment ago, for a program that cannot be asked which one it took.
std::uint16_t free_port();

} // namespace troupe::bench
