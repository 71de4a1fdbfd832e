#include "client_case.hpp"

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <unistd.h>

namespace troupe::bench {
namespace {

constexpr std::chrono::seconds deadline{60};

std::string listen_at(way which) {
  switch (which) {
  case way::loopback: return "loopback://micro";
  case way::tcp: return "mqtt://127.0.0.1:0";
  case way::unix_socket: return "unix://@troupe-micro-" + std::to_string(::getpid());
  case way::tls: return "mqtts://127.0.0.1:0";
  case way::websocket: return "ws://127.0.0.1:0/mqtt";
  case way::secure_websocket: return "wss://127.0.0.1:0/mqtt";
  }
  return {};
}

stage_options with_workers(std::size_t workers) {
  stage_options options;
  options.workers = workers;
  options.name = "micro";
  return options;
}

} // namespace

const char* word(way which) noexcept {
  switch (which) {
  case way::loopback: return "loopback";
  case way::tcp: return "tcp";
  case way::unix_socket: return "unix";
  case way::tls: return "tls";
  case way::websocket: return "ws";
  case way::secure_websocket: return "wss";
  }
  return "";
}

meeting::meeting(way which, std::size_t workers) : place{with_workers(workers)}, server{place} {
  listen_options how;
  if (which == way::tls || which == way::secure_websocket) {
    card = bench_certificate::make();
    how.tls = {.cert_file = card.certificate, .key_file = card.key};
  }
  const auto bound = server.listen(listen_at(which), how);
  if (!bound) throw std::runtime_error{"listen: " + bound.error().message()};
  endpoint = *bound;
}

client_options meeting::options(std::string client_id, version v) const {
  client_options result;
  result.broker = endpoint;
  result.client_id = std::move(client_id);
  result.version = v;
  result.keep_alive = std::chrono::seconds{0};
  result.reconnect = false;
  result.tls.ca_file = card.certificate;
  return result;
}

void require(const outcome& how, std::string_view what) {
  if (!how.ok()) throw std::runtime_error{std::string{what} + ": " + how.text()};
}

void await_connection(client& user) {
  auto connected = user.connected();
  if (!connected.wait_for(deadline)) throw std::runtime_error{"no connection within a minute"};
  require(connected.get(), "connect");
}

client connect_to(meeting& where, std::string client_id, version v) {
  client user{where.place, where.options(std::move(client_id), v)};
  await_connection(user);
  return user;
}

runtime::home& home_of(client& user) {
  runtime::home* found = nullptr;
  finish_line line;
  user.connected([&](const outcome&) {
    found = runtime::home::here();
    line.reach();
  });
  line.wait();
  return *found;
}

void finish_line::wait() {
  if (reached_.try_acquire_for(deadline)) return;
  std::fputs("a case of troupe-micro was not finished within a minute\n", stderr);
  std::_Exit(1);
}

void report(benchmark::State& state, double operations) {
  state.SetItemsProcessed(static_cast<std::int64_t>(operations)
                          * static_cast<std::int64_t>(state.iterations()));
  state.counters["ns_per_op"] = benchmark::Counter(
      operations * 1e-9, benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

} // namespace troupe::bench
