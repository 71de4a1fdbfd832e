#include "unix_transport.hpp"

#include "socket_stream.hpp"
#include "stream_transport.hpp"

namespace troupe::runtime {

transport_ptr make_unix_transport(home& where, boost::asio::local::stream_protocol::socket connected,
                                  const std::string& path, const transport_options& options) {
  set_buffers(connected, options.send_buffer, options.receive_buffer);
  using stream = socket_stream<boost::asio::local::stream_protocol>;
  return make_stream_transport(where, std::make_unique<stream>(std::move(connected), "unix://" + path),
                               options);
}

boost::asio::local::stream_protocol::endpoint unix_address(const std::string& path) {
  if (!path.starts_with('@')) return {path};
  std::string name = path;
  name[0] = '\0';
  return {name};
}

} // namespace troupe::runtime
