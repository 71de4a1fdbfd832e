// connector: endpoint -> transport, in the user's own way.
//
// Lives here: connector, the face of whoever dials instead of our dialer: a serial line, another process'
//          pipe, a test's script. make_stream_transport() makes a transport of any octet_stream.
// Holds:   an answer is given at most once, never from inside connect(), and not at all once the returned
//          object has been destroyed. What a transport holds stands in transport.hpp.
// Threads: connect() and the answer on the home's thread.
// Errors:  in the answer; the dialer's time limit holds for connectors, too.
#pragma once

#include "transport.hpp"
#include "transport_options.hpp"

#include "../protocol/result.hpp"

#include <functional>
#include <memory>

namespace troupe::runtime {

class home;
struct endpoint;

class connector {
public:
  using answer = std::function<void(protocol::result<transport_ptr>)>;

  connector() = default;
  connector(const connector&) = delete;
  connector& operator=(const connector&) = delete;
  virtual ~connector() = default;

  [[nodiscard]] virtual std::shared_ptr<void> connect(home& where, const endpoint& to,
                                                      const transport_options& pipe, answer done) = 0;
};

} // namespace troupe::runtime
