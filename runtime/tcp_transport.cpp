#include "tcp_transport.hpp"

#include "endpoint.hpp"
#include "socket_stream.hpp"
#include "stream_transport.hpp"

namespace troupe::runtime {

std::unique_ptr<octet_stream> make_tcp_stream(boost::asio::ip::tcp::socket connected,
                                              const transport_options& options) {
  boost::system::error_code ignored;
  connected.set_option(boost::asio::ip::tcp::no_delay{options.no_delay}, ignored);
  set_buffers(connected, options.send_buffer, options.receive_buffer);
  const auto peer = connected.remote_endpoint(ignored);
  using stream = socket_stream<boost::asio::ip::tcp>;
  return std::make_unique<stream>(std::move(connected), authority(peer.address().to_string(), peer.port()));
}

transport_ptr make_tcp_transport(home& where, boost::asio::ip::tcp::socket connected,
                                 const transport_options& options) {
  return make_stream_transport(where, make_tcp_stream(std::move(connected), options), options);
}

} // namespace troupe::runtime
