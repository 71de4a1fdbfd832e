// raw_link: one end of a stream for the raw limit: a socket (or memory) with its two buffers.
//
// Lives here: raw_link, connect_raw().
// Holds:   frames are cut in the buffer they were read into; what is forwarded is written from there
//          (add_run) by one gathered write. Nothing is read while a run waits to be written, since it
//          lies in the read buffer.
// Threads: one end belongs to one thread, its peer may belong to another (sockets), or must belong to
//          the same (memory).
// Units:   octets.
// Errors:  std::system_error: a benchmark that has lost its socket has nothing to say.
// Costs:   a read asks for 256 KB, a write sends all that is there.
#pragma once

#include "raw_tls.hpp"
#include "raw_wire.hpp"

#include <sys/uio.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace troupe::bench {

enum class raw_medium : std::uint8_t { tcp, tls, unix_socket, memory };

class raw_link {
public:
  static constexpr std::size_t read_size = std::size_t{256} << 10U;

  raw_link() = default;
  /// Takes over the socket. Frames up to `largest` octets fit into the read buffer.
  raw_link(int socket, std::size_t largest);
  raw_link(raw_link&& other) noexcept { swap(other); }
  raw_link& operator=(raw_link&& other) noexcept {
    swap(other);
    return *this;
  }
  ~raw_link();

  int socket() const noexcept { return socket_; }
  /// From now on octets go through TLS.
  void secure(std::unique_ptr<raw_tls> tls) noexcept { tls_ = std::move(tls); }
  /// Makes the two the ends of one stream in memory.
  static void join_in_memory(raw_link& a, raw_link& b) noexcept;

  // -- reading ----------------------------------------------------------------
  enum class wait : std::uint8_t { no, yes };
  /// Reads once. Answers whether something came. `wait::yes` blocks until something does, until what
  /// waits may be written, or until the time limit passes (then it throws).
  bool read(wait how);
  /// The other end is gone.
  bool is_closed() const noexcept { return closed_; }
  /// Cuts the next whole frame; of size 0 when there is none.
  raw_frame next_frame() noexcept {
    const raw_frame frame = cut_frame(in_.data() + begin_, in_.data() + end_);
    begin_ += frame.size;
    return frame;
  }

  // -- writing ----------------------------------------------------------------
  /// Room for `count` octets behind what waits; commit() what was used.
  octet* room(std::size_t count) {
    if (out_.size() - out_end_ < count) grow(count);
    return out_.data() + out_end_;
  }
  void commit(const octet* end) noexcept { out_end_ = static_cast<std::size_t>(end - out_.data()); }
  /// A frame that lies in some read buffer is to be written from there. Adjacent frames make one run.
  void add_run(octet* begin, std::size_t size) {
    if (!runs_.empty()) {
      iovec& last = runs_.back();
      if (static_cast<octet*>(last.iov_base) + last.iov_len == begin) {
        last.iov_len += size;
        return;
      }
    }
    runs_.push_back({begin, size});
  }
  /// Octets from elsewhere, written after everything else that waits; they must stay where they are.
  void add_borrowed(const octet* begin, std::size_t size);
  /// Writes what it can. Answers whether everything is out.
  bool flush();
  /// Blocks until something may be written.
  void wait_for_room();
  bool has_output() const noexcept { return out_end_ != out_begin_ || first_run_ != runs_.size(); }
  bool has_runs() const noexcept { return first_run_ != runs_.size(); }
  std::size_t waiting() const noexcept { return out_end_ - out_begin_; }

private:
  void swap(raw_link& other) noexcept;
  void grow(std::size_t count);
  void make_room_to_read();
  bool flush_to_peer();
  std::size_t gather(iovec* vectors, std::size_t limit) noexcept;
  void drop_written(std::size_t count) noexcept;
  std::size_t drop_from_run(std::size_t count) noexcept;
  ssize_t receive(std::size_t room);
  ssize_t send(iovec* vectors, std::size_t count);

  int socket_ = -1;
  raw_link* peer_ = nullptr; // in memory only
  std::unique_ptr<raw_tls> tls_;
  std::vector<octet> in_;
  std::size_t begin_ = 0; // of what is read and not cut
  std::size_t end_ = 0;
  std::vector<octet> out_;
  std::size_t out_begin_ = 0; // of what is encoded and not written
  std::size_t out_end_ = 0;
  std::vector<iovec> runs_; // written after out_
  std::size_t first_run_ = 0;
  bool run_begun_ = false; // part of the first run is out, so it goes on before out_
  bool closed_ = false;
};

/// Two connected non-blocking ends, no-delay where that exists; in memory: two ends to be joined.
std::pair<raw_link, raw_link> connect_raw(raw_medium medium, std::size_t largest);

} // namespace troupe::bench
