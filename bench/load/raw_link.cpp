#include "raw_link.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

namespace troupe::bench {
namespace {

[[noreturn]] void fail(const char* what) { throw std::system_error{errno, std::generic_category(), what}; }

int checked(int value, const char* what) {
  if (value < 0) fail(what);
  return value;
}

std::pair<int, int> tcp_pair() {
  const int listener = checked(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), "socket");
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  auto* name = reinterpret_cast<sockaddr*>(&address);
  socklen_t size = sizeof address;
  checked(::bind(listener, name, size), "bind");
  checked(::listen(listener, 1), "listen");
  checked(::getsockname(listener, name, &size), "getsockname");
  const int near = checked(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), "socket");
  checked(::connect(near, name, size), "connect");
  const int far = checked(::accept4(listener, nullptr, nullptr, SOCK_CLOEXEC), "accept");
  ::close(listener);
  const int on = 1;
  for (const int end : {near, far}) ::setsockopt(end, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  return {near, far};
}

std::pair<int, int> unix_pair() {
  int ends[2];
  checked(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), "socketpair");
  return {ends[0], ends[1]};
}

constexpr int time_limit_ms = 30'000;

int await(int socket, int events) {
  pollfd waiting{socket, static_cast<short>(events), 0};
  if (checked(::poll(&waiting, 1, time_limit_ms), "poll") == 0) {
    errno = ETIMEDOUT;
    fail("raw limit");
  }
  return waiting.revents;
}

} // namespace

raw_link::raw_link(int socket, std::size_t largest)
    : socket_{socket}, in_(std::max(largest, read_size) + read_size), out_(read_size) {
  runs_.reserve(1024);
}

raw_link::~raw_link() {
  if (socket_ >= 0) ::close(socket_);
}

void raw_link::swap(raw_link& other) noexcept {
  std::swap(socket_, other.socket_);
  std::swap(peer_, other.peer_);
  tls_.swap(other.tls_);
  in_.swap(other.in_);
  std::swap(begin_, other.begin_);
  std::swap(end_, other.end_);
  out_.swap(other.out_);
  std::swap(out_begin_, other.out_begin_);
  std::swap(out_end_, other.out_end_);
  runs_.swap(other.runs_);
  std::swap(first_run_, other.first_run_);
  std::swap(run_begun_, other.run_begun_);
  std::swap(closed_, other.closed_);
}

void raw_link::join_in_memory(raw_link& a, raw_link& b) noexcept {
  a.peer_ = &b;
  b.peer_ = &a;
}

void raw_link::make_room_to_read() {
  if (begin_ == end_) {
    begin_ = end_ = 0;
  } else if (in_.size() - end_ < read_size) {
    std::memmove(in_.data(), in_.data() + begin_, end_ - begin_);
    end_ -= begin_;
    begin_ = 0;
  }
}

bool raw_link::read(wait how) {
  if (peer_ != nullptr) return begin_ != end_; // the peer has written straight into the buffer
  make_room_to_read();
  for (;;) {
    const auto count = receive(std::min(read_size, in_.size() - end_));
    if (count > 0) {
      end_ += static_cast<std::size_t>(count);
      return true;
    }
    if (count == 0 || (count < 0 && errno == ECONNRESET)) {
      closed_ = true;
      return false;
    }
    if (errno != EAGAIN && errno != EINTR) fail("recv");
    if (errno == EAGAIN) {
      if (how == wait::no) return false;
      if ((await(socket_, has_output() ? POLLIN | POLLOUT : POLLIN) & POLLOUT) != 0) return false;
    }
  }
}

ssize_t raw_link::receive(std::size_t room) {
  if (tls_) return tls_->receive(in_.data() + end_, room);
  return ::recv(socket_, in_.data() + end_, room, MSG_DONTWAIT);
}

ssize_t raw_link::send(iovec* vectors, std::size_t count) {
  if (tls_) return tls_->send(vectors[0].iov_base, vectors[0].iov_len);
  msghdr message{};
  message.msg_iov = vectors;
  message.msg_iovlen = count;
  return ::sendmsg(socket_, &message, MSG_DONTWAIT | MSG_NOSIGNAL);
}

void raw_link::grow(std::size_t count) {
  std::memmove(out_.data(), out_.data() + out_begin_, out_end_ - out_begin_);
  out_end_ -= out_begin_;
  out_begin_ = 0;
  if (out_.size() - out_end_ < count) out_.resize(std::max(out_.size() * 2, out_end_ + count));
}

void raw_link::add_borrowed(const octet* begin, std::size_t size) {
  runs_.push_back({const_cast<octet*>(begin), size});
}

std::size_t raw_link::gather(iovec* vectors, std::size_t limit) noexcept {
  std::size_t used = 0;
  std::size_t run = first_run_;
  if (run_begun_) vectors[used++] = runs_[run++];
  if (out_end_ != out_begin_) vectors[used++] = {out_.data() + out_begin_, out_end_ - out_begin_};
  while (run < runs_.size() && used < limit) vectors[used++] = runs_[run++];
  return used;
}

std::size_t raw_link::drop_from_run(std::size_t count) noexcept {
  iovec& run = runs_[first_run_];
  const std::size_t part = std::min(count, run.iov_len);
  run.iov_base = static_cast<octet*>(run.iov_base) + part;
  run.iov_len -= part;
  run_begun_ = run.iov_len != 0;
  if (!run_begun_) ++first_run_;
  return part;
}

void raw_link::drop_written(std::size_t count) noexcept {
  if (run_begun_) count -= drop_from_run(count);
  const std::size_t encoded = std::min(count, out_end_ - out_begin_);
  out_begin_ += encoded;
  count -= encoded;
  while (count != 0) count -= drop_from_run(count);
  if (has_output()) return;
  out_begin_ = out_end_ = first_run_ = 0;
  runs_.clear();
}

bool raw_link::flush_to_peer() {
  constexpr std::size_t limit = 64;
  while (has_output()) {
    if (!peer_->has_runs()) peer_->make_room_to_read(); // its runs lie in that buffer
    iovec vectors[limit];
    const std::size_t used = gather(vectors, limit);
    std::size_t copied = 0;
    for (std::size_t i = 0; i < used; ++i) {
      const std::size_t count = std::min(vectors[i].iov_len, peer_->in_.size() - peer_->end_);
      std::memcpy(peer_->in_.data() + peer_->end_, vectors[i].iov_base, count);
      peer_->end_ += count;
      copied += count;
    }
    if (copied == 0) return false;
    drop_written(copied);
  }
  return true;
}

void raw_link::wait_for_room() {
  if (peer_ == nullptr) await(socket_, POLLOUT);
}

bool raw_link::flush() {
  if (peer_ != nullptr) return flush_to_peer();
  constexpr std::size_t limit = 64;
  while (has_output()) {
    iovec vectors[limit];
    const auto count = send(vectors, gather(vectors, limit));
    if (count < 0) {
      // What TLS has sealed of a run must go first, so nothing may overtake it any more.
      if (errno == EAGAIN && tls_ && out_end_ == out_begin_) run_begun_ = true;
      if (errno == EAGAIN) return false;
      if (errno == EINTR) continue;
      fail("sendmsg");
    }
    drop_written(static_cast<std::size_t>(count));
  }
  return true;
}

std::pair<raw_link, raw_link> connect_raw(raw_medium medium, std::size_t largest) {
  std::pair<int, int> sockets{-1, -1};
  if (medium == raw_medium::tcp || medium == raw_medium::tls) sockets = tcp_pair();
  if (medium == raw_medium::unix_socket) sockets = unix_pair();
  std::pair<raw_link, raw_link> ends{raw_link{sockets.first, largest}, raw_link{sockets.second, largest}};
  if (medium == raw_medium::tls) {
    auto [near, far] = secure_pair(sockets.first, sockets.second);
    ends.first.secure(std::move(near));
    ends.second.secure(std::move(far));
  }
  return ends;
}

} // namespace troupe::bench
