// transport_bench: W24, W25: 10,000 writes of five octets, each awaited, while the other end reads until all
// have arrived: over TCP, and over the loopback in memory.
//
// A write is over when the transport says that everything handed over has been written. The reference is
// two threads, or one, with blocking sockets.
#include "client_case.hpp"

#include "../../runtime/house.hpp"

#include "../../runtime/acceptor.hpp"
#include "../../runtime/dialer.hpp"
#include "../../runtime/loopback_transport.hpp"

#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <thread>

namespace troupe::bench {
namespace {

constexpr std::size_t chunks = 10'000;
constexpr std::size_t chunk = 5;
constexpr char octets_of_chunk[chunk + 1] = "chunk";

class writer final : public runtime::transport_sink {
public:
  writer(runtime::transport_ptr& pipe, finish_line& line) noexcept : pipe_{pipe}, line_{line} {}
  void write_all() {
    left_ = chunks;
    write();
  }

private:
  void write() {
    --left_;
    protocol::outbox& out = pipe_->out();
    protocol::octet* const to = out.reserve(chunk);
    std::memcpy(to, octets_of_chunk, chunk);
    out.commit(to + chunk);
    pipe_->flush_later();
  }
  void on_read(protocol::slice) override {}
  void on_writable() override {
    if (left_ != 0) return write();
    line_.reach();
  }
  void on_closed(std::error_code) override {}

  runtime::transport_ptr& pipe_;
  finish_line& line_;
  std::size_t left_ = 0;
};

class reader final : public runtime::transport_sink {
public:
  explicit reader(finish_line& line) noexcept : line_{line} {}

private:
  void on_read(protocol::slice bytes) override {
    seen_ += bytes.size();
    if (seen_ < chunks * chunk) return;
    seen_ = 0;
    line_.reach();
  }
  void on_writable() override {}
  void on_closed(std::error_code) override {}

  finish_line& line_;
  std::size_t seen_ = 0;
};

/// Two ends, on one home or on two, each used on its own home alone.
class pair {
public:
  pair(way which, std::size_t workers) : stage_{{.workers = workers}} {
    if (which == way::loopback)
      join();
    else
      dial();
    on(far_home(), [this] { far_->start(reader_); });
    on(near_home(), [this] { near_->start(writer_); });
  }
  ~pair() {
    on(near_home(), [this] { near_.reset(); });
    on(far_home(), [this] { far_.reset(); });
  }

  void pass_all() {
    near_home().post([this] { writer_.write_all(); });
    written_.wait();
    read_.wait();
  }
  const finish_line& line() const noexcept { return written_; }

private:
  runtime::home& near_home() { return stage_.inside()[0]; }
  runtime::home& far_home() { return stage_.inside()[stage_.workers() - 1]; }

  template <class What>
  void on(runtime::home& where, What what) {
    finish_line done;
    where.post([&] {
      what();
      done.reach();
    });
    done.wait();
  }

  void join() {
    auto ends = runtime::make_loopback({near_home()}, {far_home()}, "loopback://chunks");
    near_ = std::move(ends.first);
    far_ = std::move(ends.second);
  }
  void dial() {
    finish_line arrived;
    finish_line answered;
    runtime::acceptor listener{far_home(), {}};
    const auto bound = listener.listen(*runtime::parse_endpoint("mqtt://127.0.0.1:0"),
                                       [&](runtime::home&, runtime::transport_ptr came) {
                                         far_ = std::move(came);
                                         arrived.reach();
                                       });
    if (!bound) throw std::runtime_error{"listen: " + bound.error().message()};
    std::optional<runtime::dialer> caller;
    on(near_home(), [&] {
      caller.emplace(near_home());
      caller->dial(*bound, [&](protocol::result<runtime::transport_ptr> got) {
        if (got) near_ = std::move(*got);
        answered.reach();
      });
    });
    answered.wait();
    if (!near_) throw std::runtime_error{"no connection to ourselves"};
    arrived.wait();
    on(near_home(), [&] { caller.reset(); });
    finish_line closed;
    listener.close([&] { closed.reach(); });
    closed.wait();
  }

  stage stage_;
  finish_line written_;
  finish_line read_;
  runtime::transport_ptr near_;
  runtime::transport_ptr far_;
  writer writer_{near_, written_};
  reader reader_{read_};
};

void pass_chunks(benchmark::State& state, way which, std::size_t workers) {
  pair ends{which, workers};
  measure_elsewhere(
      state, chunks, ends.line(), [&] { ends.pass_all(); }, [] {});
}

// -- the reference --------------------------------------------------------------------------------------

/// Two connected blocking sockets on 127.0.0.1, without delay.
class raw_pair {
public:
  raw_pair() {
    const int listening = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in at{};
    at.sin_family = AF_INET;
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof at;
    auto* const address = reinterpret_cast<sockaddr*>(&at);
    near = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const bool connected = ::bind(listening, address, size) == 0 && ::listen(listening, 1) == 0
                           && ::getsockname(listening, address, &size) == 0
                           && ::connect(near, address, size) == 0;
    if (connected) far = ::accept(listening, nullptr, nullptr);
    ::close(listening);
    if (far < 0) throw std::runtime_error{"no raw connection"};
    const int on = 1;
    for (const int each : {near, far}) ::setsockopt(each, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  }
  raw_pair(const raw_pair&) = delete;
  raw_pair& operator=(const raw_pair&) = delete;
  ~raw_pair() {
    ::close(near);
    ::close(far);
  }
  void write_one() const {
    if (::send(near, octets_of_chunk, chunk, MSG_NOSIGNAL) != static_cast<ssize_t>(chunk)) std::abort();
  }
  std::size_t read_some() {
    const ssize_t count = ::recv(far, room_.data(), room_.size(), 0);
    if (count <= 0) std::abort();
    return static_cast<std::size_t>(count);
  }
  int near = -1;
  int far = -1;

private:
  std::array<char, 65'536> room_{};
};

void pass_raw_chunks(benchmark::State& state, bool by_two) {
  raw_pair ends;
  const finish_line line;
  const auto read_all = [&] {
    for (std::size_t seen = 0; seen != chunks * chunk;) seen += ends.read_some();
  };
  measure_elsewhere(
      state, chunks, line,
      [&] {
        if (by_two) {
          std::thread other{read_all};
          for (std::size_t n = 0; n != chunks; ++n) ends.write_one();
          other.join();
          return;
        }
        for (std::size_t n = 0; n != chunks; ++n) {
          ends.write_one();
          static_cast<void>(ends.read_some());
        }
      },
      [] {});
}

const bool registered = [] {
  for (const std::size_t workers : {1U, 2U}) {
    const std::string end = workers == 1 ? "1_thread" : "2_threads";
    register_case("W24/tcp_chunks/" + end, [=](benchmark::State& s) { pass_chunks(s, way::tcp, workers); });
    register_case("W24/tcp_chunks/" + end + "/ref_raw_socket",
                  [=](benchmark::State& s) { pass_raw_chunks(s, workers == 2); });
    register_case("W25/memory_chunks/" + end,
                  [=](benchmark::State& s) { pass_chunks(s, way::loopback, workers); });
  }
  return true;
}();

} // namespace
} // namespace troupe::bench
