// unix_transport: a connected local socket -> transport.
//
// Lives here: make_unix_transport(), unix_address(). What differs from other streams, nothing else.
// Threads: the home's; the socket belongs to the home's io_context.
#pragma once

#include "transport.hpp"
#include "transport_options.hpp"

#include <boost/asio/local/stream_protocol.hpp>

#include <string>

namespace troupe::runtime {

class home;

/// `path` is the one dialled or listened at; it becomes the peer's name, for local peers have none.
transport_ptr make_unix_transport(home& where, boost::asio::local::stream_protocol::socket connected,
                                  const std::string& path, const transport_options& options = {});

/// A leading @ names an abstract socket, which lives in no folder.
boost::asio::local::stream_protocol::endpoint unix_address(const std::string& path);

} // namespace troupe::runtime
