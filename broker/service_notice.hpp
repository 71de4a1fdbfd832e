// service_notice: what a service manager is told.
//
// Lives here: notify_service.
// Holds:   the state goes as one datagram to the socket that $NOTIFY_SOCKET names (systemd's protocol).
//          Without that variable nothing happens.
// Threads: a program's main thread, which alone changes the environment.
// Errors:  false: nobody was told. No reason to end.
#pragma once

#include <string_view>

namespace troupe::brokerage {

/// "READY=1", "STOPPING=1"; several lines may go at once.
bool notify_service(std::string_view state);

} // namespace troupe::brokerage
