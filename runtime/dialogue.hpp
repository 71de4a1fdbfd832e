// dialogue: what two sides say to each other before a stream belongs to others.
//
// Lives here: dialogue (what is said, without input or output), make_dialogue_stream() (says it).
// Holds:   the stream's octets begin behind the last one the dialogue has used. Once it has ended well, the
//          stream below is passed through.
// Threads: the home's.
// Errors:  what the dialogue says; std::errc::connection_aborted when the peer ends in the middle.
// Costs:   afterwards one call more for each of the stream's.
#pragma once

#include "octet_stream.hpp"

#include "../protocol/slice.hpp"

#include <memory>
#include <string>

namespace troupe::runtime {

class slab_pool;

class dialogue {
public:
  struct step {
    std::error_code error{};
    bool is_done = false;
    std::size_t used = 0; // of what was heard
  };

  virtual ~dialogue() = default;
  /// `heard`: everything that was not used yet; empty in the first call. What is to be said is appended
  /// to `say`, also along with an error.
  virtual step go_on(protocol::octets heard, std::string& say) = 0;
};

std::unique_ptr<octet_stream> make_dialogue_stream(slab_pool& pool, std::unique_ptr<octet_stream> below,
                                                   std::unique_ptr<dialogue> talk);

} // namespace troupe::runtime
