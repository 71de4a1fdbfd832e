// echo_to: a peer that sends back what it reads.
//
// Lives here: echo_to, for recorder::when_read.
#pragma once

#include <troupe/runtime/transport.hpp>

#include <functional>

namespace troupe::test {

/// Borrowed: the slab that was read into is what is written.
inline std::function<void(protocol::slice)> echo_to(runtime::transport_ptr& back) {
  return [&back](protocol::slice bytes) {
    back->out().borrow(bytes.bytes(), bytes.owner().get());
    back->flush_later();
  };
}

} // namespace troupe::test
