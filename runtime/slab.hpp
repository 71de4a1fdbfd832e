// slab: a large block of memory that packets share.
//
// Lives here: slab (a keeper with an atomic count), slab_pool (free lists by size class, one pool per
//          worker and per front door), slab_outbox (the outbox over slabs).
// Holds:   each slab ends with protocol::read_slack readable octets beyond its capacity.
// Threads: a pool hands out on its own thread; slabs may be released on any thread and find their
//          way home without a lock.
// Costs:   no allocation once the pool has seen its peak; an atomic step per release, which callers
//          batch (release(n)).
//
// The body belongs to this room. Elsewhere is relied upon:
//
//   class slab final : public protocol::keeper { octet* data(); std::size_t capacity(); ... };
//   class slab_pool { slab* take(std::size_t at_least); ... };   // one reference, the caller's
#pragma once

#include "../protocol/outbox.hpp"
#include "../protocol/slice.hpp"
