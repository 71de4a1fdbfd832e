// scripted_broker: the other end of a client under test, played by the test's own thread.
//
// A scripted_broker listens on a port the system chooses; accept() answers the next connection. A
// scripted_link reads whole packets and writes octets as support::hex spells them. Everything waits as
// long as it takes, up to a limit that only a broken client meets, which then fails the test.
#pragma once

#include "../wire.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace support {

class scripted_link {
public:
  explicit scripted_link(int descriptor) noexcept : descriptor_{descriptor} {}
  scripted_link(scripted_link&& other) noexcept;
  scripted_link& operator=(scripted_link&& other) noexcept;
  ~scripted_link() { close(); }

  /// The next packet, as hexadecimal text; "closed" when the client closed the connection.
  std::string read();
  /// The next packet that is no PINGREQ, answering those.
  std::string read_past_pings();
  void write(std::string_view hex_text);
  void write_raw(std::string_view bytes);
  /// Writes as much as the client takes without being waited for; answers how much that was.
  std::size_t offer_raw(std::string_view bytes);
  /// Reads CONNECT and accepts it; answers the CONNECT.
  std::string welcome(bool session_present = false, bool is_v5 = true);
  /// Reads a SUBSCRIBE of one filter and grants it; answers the SUBSCRIBE.
  std::string grant(int quality, bool is_v5 = true);
  /// Reads an UNSUBSCRIBE of one filter and confirms it; answers the UNSUBSCRIBE.
  std::string confirm_end();
  void close() noexcept;

private:
  bool fill(std::size_t count);

  int descriptor_ = -1;
  std::vector<octet> input_;
};

class scripted_broker {
public:
  scripted_broker();
  ~scripted_broker();
  scripted_broker(const scripted_broker&) = delete;
  scripted_broker& operator=(const scripted_broker&) = delete;

  std::string url() const;
  scripted_link accept();
  /// Whether somebody is waiting to be accepted.
  bool has_caller() const;
  /// Nobody listens any more: the port refuses.
  void close() noexcept;

private:
  int descriptor_ = -1;
  std::uint16_t port_ = 0;
};

} // namespace support
