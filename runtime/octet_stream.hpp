// octet_stream: what stream_transport needs of a socket, or of a layer over one.
//
// Lives here: octet_stream, its two readinesses, who waits for them, and where their handlers live.
// Holds:   read and write never block: what is not possible now is answered with
//          std::errc::operation_would_block. At most one wait for each readiness at a time.
//          A layer (TLS, WebSocket, a way through a proxy) is a stream over another one: it may have to
//          greet the peer first, and may keep octets of its own in either direction. A read that
//          answers less than was asked has nothing more until the stream is ready again, unless
//          has_unread() says otherwise.
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

/// Who waits for a stream. Kept alive by the waits that are under way.
class readiness_watcher {
public:
  virtual void on_ready(readiness which) = 0;
  handler_room& room_for(readiness which) noexcept {
    return which == readiness::to_read ? read_room_ : write_room_;
  }

protected:
  ~readiness_watcher() = default;

private:
  handler_room read_room_;
  handler_room write_room_;
};

/// The handler of a wait: keeps the watcher alive, lives inside of it, and tells it.
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

  readiness_handler(std::shared_ptr<readiness_watcher> who, readiness which) noexcept
      : who_{std::move(who)}, which_{which} {}

  allocator_type get_allocator() const noexcept { return allocator_type{who_->room_for(which_)}; }
  // An error here is a cancelled wait; what is wrong with the stream shows itself in the next step.
  void operator()(const boost::system::error_code&) { who_->on_ready(which_); }

private:
  std::shared_ptr<readiness_watcher> who_;
  readiness which_;
};

class octet_stream {
public:
  struct step {
    std::size_t count = 0;
    std::error_code error{};
    bool would_block() const noexcept { return error == std::errc::operation_would_block; }
  };
  /// How far a greeting has come.
  struct progress {
    std::error_code error{};
    bool is_done = true;
    readiness needs = readiness::to_read; // unless done or failed

    static progress waits_for(readiness which) noexcept { return {{}, false, which}; }
  };

  virtual ~octet_stream() = default;
  /// Goes on, as far as it can without waiting, with what has to be said before octets of others pass.
  virtual progress greet() noexcept { return {}; }
  virtual step read(std::span<iovec> into) noexcept = 0;
  virtual step write(std::span<iovec> from) noexcept = 0;
  virtual void wait(readiness_handler handler, readiness which) = 0;
  /// Whether the next read answers without the stream being ready: octets, an end or an error.
  virtual bool has_unread() const noexcept { return false; }
  /// Whether octets wait that were taken, or are the layer's own; write() sends them first, also when it
  /// is given nothing else.
  virtual bool has_unsent() const noexcept { return false; }
  /// The peer sees the end of the stream once it has read everything. What has_unsent() tells of
  /// afterwards belongs to that end.
  virtual void end_writing() noexcept = 0;
  /// Ends pending waits; their handlers are still called.
  virtual void close() noexcept = 0;
  virtual std::string peer_name() const = 0;
  /// Whom the peer's certificate names, when it was checked and is to be used so; else empty.
  virtual std::string certified_name() const { return {}; }
};

} // namespace troupe::runtime
