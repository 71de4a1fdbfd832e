// subscription_book: what this client wants to hear, and what of it the broker has granted.
//
// Lives here: subscription_book, book_entry. A filter is one line of the book, however many links there
//          are to it, since the broker knows one subscription per filter.
//
//     wanted --SUBSCRIBE--> (outstanding) --SUBACK--> granted --session lost--> wanted
//        ^                        |  \ refused: the line is struck
//        |____connection lost_____|
//
// Holds:   only what was granted is asked for again, and only when the broker has lost the session. The
//          quality asked for is the highest of the links.
// Threads: belongs to the session.
// Costs:   hashing per change; nothing per message.
#pragma once

#include "request.hpp"
#include "subscription_link.hpp"

#include "../protocol/subscribe.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace troupe::actors {

struct book_entry {
  std::vector<link_ref> links;
  std::vector<asker> waiting;    // who wants to know how it was answered
  std::uint32_t outstanding = 0; // requests for it that are out
  bool is_granted = false;
  outcome answer{};                             // once granted
  std::optional<protocol::subscription> past{}; // of an earlier process, but for its filter

  /// The broker may have it.
  bool is_known() const noexcept { return is_granted || outstanding != 0; }
};

class subscription_book {
public:
  /// Adds a link; the line has to be asked for (again).
  book_entry& add(const link_ref& link);
  /// A line that an earlier process was granted; nobody of this one is linked to it yet.
  void restore(const std::string& filter, const protocol::subscription& line) {
    book_entry& entry = lines_[filter];
    entry.is_granted = true;
    entry.past = line;
  }
  /// Takes one link out, and the line when it was the last.
  enum class removal : std::uint8_t { unknown, one_of_many, last };
  removal remove(const subscription_link& link, book_entry& line);
  /// Takes a whole line out.
  book_entry take(std::string_view filter);
  book_entry* find(std::string_view filter) noexcept;
  /// What stands in a SUBSCRIBE for this line.
  static protocol::subscription line(std::string_view filter, const book_entry& entry) noexcept;

  /// The broker has no session of ours: everything granted is wanted again.
  void lose() noexcept;
  /// Calls `f(filter, entry)` for every line.
  template <class F>
  void for_each(F f) {
    for (auto& [filter, entry] : lines_) f(std::string_view{filter}, entry);
  }
  std::size_t size() const noexcept { return lines_.size(); }

private:
  struct text_hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const noexcept {
      return std::hash<std::string_view>{}(text);
    }
  };
  std::unordered_map<std::string, book_entry, text_hash, std::equal_to<>> lines_;
};

} // namespace troupe::actors
