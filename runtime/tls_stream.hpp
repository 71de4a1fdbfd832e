// tls_stream: TLS over any octet stream.
//
// Lives here: make_tls_stream(). OpenSSL stays in its source.
// Holds:   OpenSSL sees memory, never a socket: what it makes of one write (records of up to 16 KB) leaves
//          by one call below, what one read below brings is opened before the next one. end_writing()
//          sends close_notify; an end of the stream below without the peer's is tls_errc::truncated.
//          A name is asked for (SNI) and must be in the certificate; an address must be in it, too, but is
//          never asked for.
// Threads: the home's, whose slab pool it is.
// Errors:  tls_errc; else what the stream below says.
// Costs:   an idle connection owns OpenSSL's state (some 10 KB) and no buffer.
#pragma once

#include "octet_stream.hpp"

#include <memory>
#include <string>

namespace troupe::runtime {

class slab_pool;
class tls_context;

/// Of a client's connection.
struct tls_goal {
  std::string host{};  // as it was dialled: the name to expect, unless the options name another
  bool is_web = false; // what will be spoken inside is HTTP, whatever protocols the options offer
};

/// Null when there is no memory.
std::unique_ptr<octet_stream> make_tls_stream(slab_pool& pool, std::unique_ptr<octet_stream> below,
                                              std::shared_ptr<const tls_context> context,
                                              const tls_goal& goal);

} // namespace troupe::runtime
