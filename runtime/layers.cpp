#include "layers.hpp"

#include "acceptor.hpp"
#include "dialer.hpp"
#include "dialogue.hpp"
#include "home.hpp"
#include "proxy_dialogue.hpp"
#include "slab_pool.hpp"
#include "tls_stream.hpp"
#include "websocket_dialogue.hpp"
#include "websocket_stream.hpp"

#include <utility>

namespace troupe::runtime {

namespace {

/// Without the port that the scheme implies.
std::string host_header(const endpoint& of) {
  std::string text = authority(of.host, of.port);
  if (of.port == (of.is_secure() ? 443 : 80)) text.resize(text.rfind(':'));
  return text;
}

} // namespace

bool has_layers(const endpoint& to, const dial_options& options) noexcept {
  return to.kind != endpoint_kind::tcp || options.proxy;
}

std::unique_ptr<octet_stream> client_layers(home& where, std::unique_ptr<octet_stream> socket,
                                            const endpoint& to, const dial_options& options) {
  slab_pool& pool = where.slabs();
  if (options.proxy)
    socket = make_dialogue_stream(pool, std::move(socket), ask_proxy(*options.proxy, to.host, to.port));
  if (to.is_secure()) socket = make_tls_stream(pool, std::move(socket), options.tls, {to.host, to.is_web()});
  if (!to.is_web() || !socket) return socket;
  socket = make_dialogue_stream(pool, std::move(socket),
                                websocket_request(host_header(to), to.path, options.headers));
  return make_websocket_stream(pool, std::move(socket), websocket_role::client);
}

std::unique_ptr<octet_stream> server_layers(home& where, std::unique_ptr<octet_stream> socket,
                                            const endpoint& at, const accept_options& options) {
  slab_pool& pool = where.slabs();
  if (at.is_secure()) socket = make_tls_stream(pool, std::move(socket), options.tls, {});
  if (!at.is_web() || !socket) return socket;
  socket = make_dialogue_stream(pool, std::move(socket), websocket_answer(at.path));
  return make_websocket_stream(pool, std::move(socket), websocket_role::server);
}

} // namespace troupe::runtime
