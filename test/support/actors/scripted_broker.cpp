#include "scripted_broker.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <stdexcept>
#include <utility>

namespace support {

namespace {

constexpr int patience_ms = 20'000; // met by a broken client only

void wait_readable(int descriptor, const char* what) {
  pollfd ready{descriptor, POLLIN, 0};
  if (::poll(&ready, 1, patience_ms) != 1) throw std::runtime_error{what};
}

} // namespace

scripted_link::scripted_link(scripted_link&& other) noexcept
    : descriptor_{std::exchange(other.descriptor_, -1)}, input_{std::move(other.input_)} {}

scripted_link& scripted_link::operator=(scripted_link&& other) noexcept {
  close();
  descriptor_ = std::exchange(other.descriptor_, -1);
  input_ = std::move(other.input_);
  return *this;
}

void scripted_link::close() noexcept {
  if (descriptor_ >= 0) ::close(std::exchange(descriptor_, -1));
}

bool scripted_link::fill(std::size_t count) {
  while (input_.size() < count) {
    wait_readable(descriptor_, "the client says nothing");
    octet chunk[4096];
    const auto got = ::recv(descriptor_, chunk, sizeof chunk, 0);
    if (got <= 0) return false;
    input_.insert(input_.end(), chunk, chunk + got);
  }
  return true;
}

std::string scripted_link::read() {
  std::size_t length = 0;
  std::size_t head = 1;
  for (unsigned shift = 0;; shift += 7) {
    if (!fill(head + 1)) return "closed";
    const octet part = input_[head++];
    length |= static_cast<std::size_t>(part & 0x7FU) << shift;
    if ((part & 0x80U) == 0) break;
  }
  if (!fill(head + length)) return "closed";
  const auto end = input_.begin() + static_cast<std::ptrdiff_t>(head + length);
  const std::vector<octet> packet(input_.begin(), end);
  input_.erase(input_.begin(), end);
  return dump(octets{packet});
}

std::string scripted_link::read_past_pings() {
  for (;;) {
    std::string packet = read();
    if (packet != "C0 00") return packet;
    write("D0 00");
  }
}

void scripted_link::write(std::string_view hex_text) {
  const auto bytes = parse_hex(hex_text);
  write_raw(troupe::protocol::as_text(octets{bytes}));
}

void scripted_link::write_raw(std::string_view bytes) {
  while (!bytes.empty()) {
    const auto sent = ::send(descriptor_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent <= 0) throw std::runtime_error{"the client does not take what is written"};
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
}

std::size_t scripted_link::offer_raw(std::string_view bytes) {
  std::size_t taken = 0;
  while (taken != bytes.size()) {
    const auto sent =
        ::send(descriptor_, bytes.data() + taken, bytes.size() - taken, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent <= 0) break;
    taken += static_cast<std::size_t>(sent);
  }
  return taken;
}

std::string scripted_link::welcome(bool session_present, bool is_v5) {
  std::string connect = read();
  const std::string flags = session_present ? "01" : "00";
  write(is_v5 ? "20 03 " + flags + " 00 00" : "20 02 " + flags + " 00");
  return connect;
}

std::string scripted_link::grant(int quality, bool is_v5) {
  std::string subscribe = read_past_pings();
  const std::string id = subscribe.substr(6, 5);
  const std::string code = "0" + std::to_string(quality);
  write(is_v5 ? "90 04 " + id + " 00 " + code : "90 03 " + id + " " + code);
  return subscribe;
}

std::string scripted_link::confirm_end() {
  std::string unsubscribe = read_past_pings();
  write("B0 04 " + unsubscribe.substr(6, 5) + " 00 00");
  return unsubscribe;
}

scripted_broker::scripted_broker() : descriptor_{::socket(AF_INET, SOCK_STREAM, 0)} {
  sockaddr_in where{};
  where.sin_family = AF_INET;
  where.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof where;
  auto* const address = reinterpret_cast<sockaddr*>(&where);
  if (::bind(descriptor_, address, size) != 0 || ::listen(descriptor_, 64) != 0
      || ::getsockname(descriptor_, address, &size) != 0)
    throw std::runtime_error{"no port to listen on"};
  port_ = ntohs(where.sin_port);
}

scripted_broker::~scripted_broker() { close(); }

void scripted_broker::close() noexcept {
  if (descriptor_ >= 0) ::close(std::exchange(descriptor_, -1));
}

std::string scripted_broker::url() const { return "mqtt://127.0.0.1:" + std::to_string(port_); }

scripted_link scripted_broker::accept() {
  wait_readable(descriptor_, "nobody dials");
  const int accepted = ::accept(descriptor_, nullptr, nullptr);
  const int at_once = 1;
  ::setsockopt(accepted, IPPROTO_TCP, TCP_NODELAY, &at_once, sizeof at_once);
  return scripted_link{accepted};
}

bool scripted_broker::has_caller() const {
  pollfd ready{descriptor_, POLLIN, 0};
  return ::poll(&ready, 1, 0) == 1;
}

} // namespace support
