// scripted_line: the other end of a client's connection in memory, moved by the test alone.
//
// Lives here: line_state (what both ends know of a connection), line (one connection, as the test sees it),
//          scripted_network (the connector that makes them).
// Holds:   nothing happens by itself: a dial waits for accept() or refuse(), octets come when the test says
//          so. Whatever the client does is there when the clock has settled. Packets are compared as
//          support::dump prints them. A test that plays thousands of connections leaves the other end to
//          a player on the home's thread (play()).
// Threads: the test's; everything is carried out on the home's thread, and has been when a call returns.
#pragma once

#include "../ends.hpp"
#include "../wire.hpp"

#include <troupe/runtime/connector.hpp>
#include <troupe/runtime/endpoint.hpp>
#include <troupe/runtime/flushable.hpp>
#include <troupe/runtime/home.hpp>
#include <troupe/runtime/transport.hpp>

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace support {

class player;

/// The home's thread only.
struct line_state {
  troupe::runtime::home* where = nullptr;
  troupe::runtime::transport_sink* sink = nullptr;
  troupe::runtime::flushable* end = nullptr; // the client's; null: it is gone
  player* by = nullptr;                      // who answers; null: the test
  std::uint64_t number = 0;                  // of the connection
  std::vector<octet> sent;                   // by the client, and not taken off
  std::string unread;                        // by the client, which has paused
  std::size_t high_mark = 0;
  bool is_paused = false;
  bool is_stuck = false; // the peer takes nothing
  bool is_over = false;  // the client has been told, or has ended it
};

/// Plays the other end of every connection of a network; called on the home's thread.
class player {
public:
  virtual void on_packet(const std::shared_ptr<line_state>& link, octets packet) = 0;

protected:
  ~player() = default;
};

class line {
public:
  explicit line(std::shared_ptr<line_state> state) noexcept : state_{std::move(state)} {}

  /// Octets come in.
  void say(std::string_view hex_text);
  void say_raw(std::string_view octets);
  /// The next whole packet the client has sent; "" when there is none, "closed" when it has closed.
  std::string next();
  /// All of them up to now, one behind the other, with " | " between.
  std::string all();
  /// The peer closes in order, or is cut off.
  void close();
  void cut(std::error_code why = std::make_error_code(std::errc::connection_reset));
  /// The peer takes no octets any more (or does again).
  void stop_reading(bool is_stopped = true);
  bool is_closed() const;
  bool is_paused() const;
  /// Octets that have come and that the client has not read, since it paused.
  std::size_t unread() const;

  // For scripts that run on the home's thread.
  line_state& state() const noexcept { return *state_; }

private:
  std::shared_ptr<line_state> state_;
};

/// The same calls, to be made on the home's thread.
void say_here(line_state& state, std::string_view octets);
void say_here(line_state& state, const std::vector<octet>& octets);
void cut_here(line_state& state, std::error_code why);

class scripted_network final : public troupe::runtime::connector,
                               public std::enable_shared_from_this<scripted_network> {
public:
  [[nodiscard]] std::shared_ptr<void> connect(troupe::runtime::home& where,
                                              const troupe::runtime::endpoint& to,
                                              const troupe::runtime::transport_options& pipe,
                                              answer done) override;

  /// Whether a dial waits for an answer.
  bool has_caller() const;
  line accept();
  void refuse(std::error_code why);
  /// Every dial is answered at once, and `by` plays the other end; before the first dial.
  void play(player& by) noexcept { player_ = &by; }

  std::size_t dials() const noexcept { return dials_.load(std::memory_order_acquire); }
  /// Hosts that were dialled, in order.
  std::vector<std::string> hosts() const;
  /// The same as addresses: "mqtt://host:1883".
  std::vector<std::string> addresses() const;
  /// After the first dial.
  troupe::runtime::home& home() const noexcept { return *home_.load(std::memory_order_acquire); }

private:
  struct call;
  std::shared_ptr<line_state> answer_here(call& who);

  std::atomic<troupe::runtime::home*> home_{nullptr};
  std::atomic<std::size_t> dials_{0};
  // The home's thread.
  std::shared_ptr<call> waiting_;
  std::vector<troupe::runtime::endpoint> dialled_;
  std::uint64_t connections_ = 0;
  player* player_ = nullptr;
};

} // namespace support
