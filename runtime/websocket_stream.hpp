// websocket_stream: a WebSocket as an octet stream.
//
// Lives here: make_websocket_stream(). The upgrade is websocket_dialogue's, the frames are websocket_frames'.
// Holds:   what one write is given travels in one binary frame; what comes may be cut into frames in any
//          way. Pings are answered, the latest one when several wait. end_writing() sends Close; the peer's
//          Close is the end of the stream.
// Threads: the home's, whose slab pool it is.
// Errors:  web_errc (no_chance: nothing more is said, since a client's frames must be masked); else what the stream below says. Whoever breaks the rules is sent Close with the code
//          of RFC 6455, 7.4.
// Costs:   one copy each way.
#pragma once

#include "chance.hpp"
#include "octet_stream.hpp"

#include <memory>

namespace troupe::runtime {

class slab_pool;

enum class websocket_role : unsigned char { client, server };

/// `below` becomes a WebSocket when it is greeted.
std::unique_ptr<octet_stream> make_websocket_stream(slab_pool& pool, std::unique_ptr<octet_stream> below,
                                                    websocket_role role,
                                                    chance_source chance = system_chance);

} // namespace troupe::runtime
