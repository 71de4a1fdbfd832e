// id_table: one entry for each packet id in use, found by the id alone.
//
// Lives here: id_table<Entry, ChunkBits>, chunks of 2^ChunkBits entries that come and go.
// Holds:   an acquired entry stays where it is until it is released. A fresh entry is Entry{}.
// Threads: belongs to one exchange.
// Costs:   two loads a look-up, whether 2 or 65,535 are in use. Chunks without an entry in use are
//          kept for re-use, up to a bound: the steady state allocates nothing.
#pragma once

#include "vocabulary.hpp"

#include <array>
#include <cassert>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace troupe::protocol {

template <class Entry, unsigned ChunkBits>
class id_table {
public:
  /// The entry of `id`, whether acquired or not; null when its whole chunk is unused.
  Entry* find(packet_id id) noexcept {
    const std::size_t at = id >> ChunkBits;
    return at < chunks_.size() && chunks_[at] ? &chunks_[at]->entries[id & mask] : nullptr;
  }
  /// The entry of an acquired id.
  Entry& at(packet_id id) noexcept {
    assert(find(id) != nullptr);
    return chunks_[id >> ChunkBits]->entries[id & mask];
  }
  const Entry& at(packet_id id) const noexcept { return const_cast<id_table*>(this)->at(id); }

  /// Takes the entry of `id`, which must not be taken.
  Entry& acquire(packet_id id) {
    const std::size_t at = id >> ChunkBits;
    if (at >= chunks_.size()) chunks_.resize(at + 1);
    if (!chunks_[at]) chunks_[at] = fresh_chunk();
    ++chunks_[at]->used;
    ++used_;
    return chunks_[at]->entries[id & mask];
  }
  /// Gives an acquired entry back.
  void release(packet_id id) noexcept {
    std::unique_ptr<chunk>& home = chunks_[id >> ChunkBits];
    home->entries[id & mask] = Entry{};
    --used_;
    if (--home->used == 0) put_aside(std::move(home));
  }
  std::size_t used() const noexcept { return used_; }

  /// Calls `f(packet_id, Entry&)` for every entry of every chunk in use, acquired or not, by id.
  template <class F>
  void for_each(F f) {
    for (std::size_t at = 0; at < chunks_.size(); ++at) {
      for (std::size_t i = 0; chunks_[at] && i < chunk_size; ++i)
        f(static_cast<packet_id>((at << ChunkBits) + i), chunks_[at]->entries[i]);
    }
  }
  /// Forgets everything and keeps no memory.
  void clear() noexcept {
    chunks_.clear();
    spare_.clear();
    used_ = 0;
  }
  /// Gives memory back that is not in use.
  void trim() noexcept {
    spare_.clear();
    while (!chunks_.empty() && !chunks_.back()) chunks_.pop_back();
  }

private:
  static constexpr std::size_t chunk_size = std::size_t{1} << ChunkBits;
  static constexpr std::size_t mask = chunk_size - 1;
  static constexpr std::size_t most_spare = 2'048 / chunk_size; // 2,048 entries

  struct chunk {
    std::array<Entry, chunk_size> entries{};
    std::size_t used = 0;
  };

  std::unique_ptr<chunk> fresh_chunk() {
    if (spare_.empty()) return std::make_unique<chunk>();
    std::unique_ptr<chunk> result = std::move(spare_.back());
    spare_.pop_back();
    return result;
  }
  void put_aside(std::unique_ptr<chunk> unused) noexcept {
    if (spare_.capacity() == 0) spare_.reserve(most_spare);
    if (spare_.size() < most_spare) spare_.push_back(std::move(unused));
  }

  std::vector<std::unique_ptr<chunk>> chunks_;
  std::vector<std::unique_ptr<chunk>> spare_; // all entries of these are Entry{}
  std::size_t used_ = 0;
};

} // namespace troupe::protocol
