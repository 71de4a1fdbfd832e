// octet_stream: what stream_transport needs of a socket, or of a layer over one.
//
// Lives here: octet_stream, its two readinesses, and where their handlers live.
// Holds:   read and write never block: what is not possible now is answered with
//          std::errc::operation_would_block. At most one wait for each readiness at a time.
// Threads: belongs to one transport, on its home's thread.
// Errors:  the system's; a read of no octets without an error is the end of the stream.
// Costs:   one virtual call beside each system call. Waiting allocates nothing.
#pragma once

#include <boost/system/error_code.hpp>

#include <sys/uio.h>

#include <cstddef>
#include <memory>
#include <new>
#include <span>
#include <string>
#include <system_error>
#include <utility>

namespace troupe::runtime {

class stream_pipe;

/// Room for the one handler that may wait for a readiness. Falls back to the heap for a larger one.
class handler_room {
public:
  void* take(std::size_t size) {
    if (taken_ || size > sizeof(room_)) return ::operator new(size);
    taken_ = true;
    return room_;
  }
  void give_back(void* memory) noexcept {
    if (memory == room_)
      taken_ = false;
    else
      ::operator delete(memory);
  }

private:
  alignas(std::max_align_t) unsigned char room_[192];
  bool taken_ = false;
};

enum class readiness : unsigned char { to_read, to_write };

/// The handler of a wait: keeps the pipe alive, lives inside of it, and tells it.
class readiness_handler {
public:
  template <class T>
  class allocator {
  public:
    using value_type = T;
    explicit allocator(handler_room& room) noexcept : room_{&room} {}
    template <class U>
    allocator(const allocator<U>& other) noexcept : room_{other.room()} {}
    T* allocate(std::size_t count) { return static_cast<T*>(room_->take(count * sizeof(T))); }
    void deallocate(T* memory, std::size_t) noexcept { room_->give_back(memory); }
    handler_room* room() const noexcept { return room_; }
    friend bool operator==(const allocator&, const allocator&) = default;

  private:
    handler_room* room_;
  };
  using allocator_type = allocator<void>;

  readiness_handler(std::shared_ptr<stream_pipe> pipe, readiness which) noexcept
      : pipe_{std::move(pipe)}, which_{which} {}

  allocator_type get_allocator() const noexcept;
  void operator()(const boost::system::error_code& error);

private:
  std::shared_ptr<stream_pipe> pipe_;
  readiness which_;
};

class octet_stream {
public:
  struct step {
    std::size_t count = 0;
    std::error_code error{};
    bool would_block() const noexcept { return error == std::errc::operation_would_block; }
  };

  virtual ~octet_stream() = default;
  virtual step read(std::span<iovec> into) noexcept = 0;
  virtual step write(std::span<iovec> from) noexcept = 0;
  virtual void wait(readiness_handler handler, readiness which) = 0;
  /// The peer sees the end of the stream once it has read everything.
  virtual void end_writing() noexcept = 0;
  /// Ends pending waits; their handlers are still called.
  virtual void close() noexcept = 0;
  virtual std::string peer_name() const = 0;
};

} // namespace troupe::runtime
