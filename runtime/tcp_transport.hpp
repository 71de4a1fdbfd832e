// tcp_transport: a connected TCP socket -> transport.
//
// Lives here: make_tcp_stream(), make_tcp_transport(). What differs from other streams, nothing else.
// Threads: the home's; the socket belongs to the home's io_context.
#pragma once

#include "octet_stream.hpp"
#include "transport.hpp"
#include "transport_options.hpp"

#include <boost/asio/ip/tcp.hpp>

namespace troupe::runtime {

class home;

std::unique_ptr<octet_stream> make_tcp_stream(boost::asio::ip::tcp::socket connected,
                                              const transport_options& options);
transport_ptr make_tcp_transport(home& where, boost::asio::ip::tcp::socket connected,
                                 const transport_options& options = {});

} // namespace troupe::runtime
