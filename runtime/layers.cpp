#include "layers.hpp"

#include "acceptor.hpp"
#include "dialer.hpp"
#include "home.hpp"
#include "tls_stream.hpp"

#include <utility>

namespace troupe::runtime {

bool has_layers(const endpoint& to, const dial_options&) noexcept { return to.kind != endpoint_kind::tcp; }

std::unique_ptr<octet_stream> client_layers(home& where, std::unique_ptr<octet_stream> socket,
                                            const endpoint& to, const dial_options& options) {
  if (to.is_secure())
    socket = make_tls_stream(where.slabs(), std::move(socket), options.tls, {to.host, to.is_web()});
  return socket;
}

std::unique_ptr<octet_stream> server_layers(home& where, std::unique_ptr<octet_stream> socket,
                                            const endpoint& at, const accept_options& options) {
  if (at.is_secure()) socket = make_tls_stream(where.slabs(), std::move(socket), options.tls, {});
  return socket;
}

} // namespace troupe::runtime
