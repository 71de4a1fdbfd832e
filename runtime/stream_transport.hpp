// stream_transport: the read loop and the write loop over any octet stream, written once.
//
// Lives here: make_stream_transport(). The loops themselves are stream_pipe's.
// Holds:   as transport says. Writes leave at the home's idle point: one gathered call for up to 256 KB
//          or 64 segments, another one while there is more. Reads take at most 256 KB a turn, so that a
//          busy socket does not starve others. When writing fails, what the peer had sent before is read
//          and handed over first. close() discards what still comes.
// Threads: the home's.
// Costs:   an idle connection owns no buffer. A burst that comes in costs a wake-up, one read and one
//          re-arming; one that goes out costs one write.
#pragma once

#include "octet_stream.hpp"
#include "transport.hpp"
#include "transport_options.hpp"

namespace troupe::runtime {

class home;

/// `stream` is connected.
transport_ptr make_stream_transport(home& where, std::unique_ptr<octet_stream> stream,
                                    const transport_options& options);

} // namespace troupe::runtime
