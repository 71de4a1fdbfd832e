#include "relay.hpp"

#include "frame_reader.hpp"
#include "loopback_socket.hpp"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <deque>
#include <optional>
#include <vector>

namespace troupe::bench {
namespace {

using clock = std::chrono::steady_clock;
using protocol::packet_type;

/// Cuts a stream that somebody else consumes.
class onlooker {
public:
  template <class See>
  void look(octets fresh, See see) {
    kept_.insert(kept_.end(), fresh.begin(), fresh.end());
    std::size_t begin = 0;
    for (;;) {
      const raw_frame frame = cut_frame(kept_.data() + begin, kept_.data() + kept_.size());
      if (frame.size == 0) break;
      see(frame);
      begin += frame.size;
    }
    kept_.erase(kept_.begin(), kept_.begin() + static_cast<std::ptrdiff_t>(begin));
  }

private:
  std::vector<octet> kept_;
};

/// Octets of a property's value, section 2.2.2.2; nothing for one that CONNACK does not have.
std::optional<std::size_t> size_of_property(std::size_t which, frame_reader at) {
  switch (which) {
  case 0x24:
  case 0x25:
  case 0x28:
  case 0x29:
  case 0x2A: return 1;
  case 0x13:
  case 0x21:
  case 0x22: return 2;
  case 0x11:
  case 0x27: return 4;
  case 0x12:
  case 0x15:
  case 0x16:
  case 0x1A:
  case 0x1C:
  case 0x1F: return 2 + at.two();
  case 0x26: {
    const std::size_t name = at.text().size();
    return 4 + name + at.text().size();
  }
  default: return std::nullopt;
  }
}

/// The receive maximum that a CONNACK of 5.0 announces.
std::size_t receive_maximum_of(const raw_frame& connack) {
  constexpr std::size_t unsaid = 65'535;
  frame_reader in{connack};
  in.skip(2);
  if (in.is_over()) return unsaid; // 3.1.1
  in.varint();
  while (in.is_good() && !in.is_over()) {
    const std::size_t which = in.one();
    const auto size = size_of_property(which, in);
    if (!size) return unsaid;
    if (which == 0x21) return in.two();
    in.skip(*size);
  }
  return unsaid;
}

bool send_all(int socket, octets what) {
  while (!what.empty()) {
    const auto count = ::send(socket, what.data(), what.size(), MSG_NOSIGNAL);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return false;
    what = what.subspan(static_cast<std::size_t>(count));
  }
  return true;
}

struct held {
  clock::time_point due;
  std::vector<octet> what;
};

} // namespace

/// One client and its connection to the broker.
struct relay::line {
  int client = -1;
  int broker = -1;
  onlooker from_client{};
  onlooker from_broker{};
  std::deque<held> back{};
  std::uint64_t in_flight = 0;
  bool is_over = false;

  line(int a, int b) : client{a}, broker{b} {}
  ~line() {
    ::close(client);
    if (broker >= 0) ::close(broker);
  }
  line(const line&) = delete;
  line& operator=(const line&) = delete;
};

class relay::worker {
public:
  explicit worker(relay& owner) : owner_{owner} {}

  void run() {
    for (;;) {
      std::vector<pollfd> wishes{{owner_.bell_, POLLIN, 0}, {owner_.listener_, POLLIN, 0}};
      for (const auto& each : lines_) {
        wishes.push_back({each->client, POLLIN, 0});
        wishes.push_back({each->broker, POLLIN, 0});
      }
      ::poll(wishes.data(), wishes.size(), patience());
      if (wishes[0].revents != 0) return;
      stand_still_if_told();
      for (std::size_t i = 0; i < lines_.size(); ++i) {
        if (wishes[2 + 2 * i].revents != 0) read_client(*lines_[i]);
        if (wishes[3 + 2 * i].revents != 0) read_broker(*lines_[i]);
        give_back(*lines_[i]);
      }
      std::erase_if(lines_, [](const auto& each) { return each->is_over; });
      if (wishes[1].revents != 0) take();
    }
  }

private:
  /// Until the next octets held back are due, in milliseconds, rounded up.
  int patience() const {
    auto next = clock::time_point::max();
    for (const auto& each : lines_)
      if (!each->back.empty()) next = std::min(next, each->back.front().due);
    if (next == clock::time_point::max()) return -1;
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(next - clock::now());
    return static_cast<int>(std::max<std::int64_t>(left.count(), 0));
  }

  void stand_still_if_told() {
    if (from_clients_ < owner_.stall_from_.load()) return;
    owner_.stall_from_.store(UINT64_MAX);
    pollfd end{owner_.bell_, POLLIN, 0};
    const auto time = std::chrono::nanoseconds{owner_.stall_time_.load()};
    ::poll(&end, 1, static_cast<int>(std::chrono::ceil<std::chrono::milliseconds>(time).count()));
    owner_.stalls_.fetch_add(1);
  }

  void take() {
    const int client = ::accept4(owner_.listener_, nullptr, nullptr, SOCK_CLOEXEC);
    if (client < 0) return;
    set_no_delay(client);
    const int broker = connect_loopback(owner_.options_.broker_port);
    auto fresh = std::make_unique<line>(client, broker);
    if (broker >= 0) lines_.push_back(std::move(fresh));
  }

  octets read(int socket) {
    const auto count = ::recv(socket, buffer_.data(), buffer_.size(), 0);
    return {buffer_.data(), static_cast<std::size_t>(std::max<ssize_t>(count, 0))};
  }

  void read_client(line& at) {
    const octets fresh = read(at.client);
    from_clients_ += fresh.size();
    at.from_client.look(fresh, [&](const raw_frame& frame) {
      if (frame.type() != packet_type::publish || (*frame.begin & 0x06U) == 0) return;
      ++at.in_flight;
      if (at.in_flight > owner_.most_in_flight_.load()) owner_.most_in_flight_.store(at.in_flight);
    });
    if (fresh.empty() || !send_all(at.broker, fresh)) at.is_over = true;
  }

  void read_broker(line& at) {
    const octets fresh = read(at.broker);
    at.from_broker.look(fresh, [&](const raw_frame& frame) {
      if (frame.type() == packet_type::connack) owner_.receive_maximum_.store(receive_maximum_of(frame));
      const bool is_refusal = frame.type() == packet_type::pubrec && frame.size > 4 && frame.begin[4] >= 0x80;
      const bool is_last =
          frame.type() == packet_type::puback || frame.type() == packet_type::pubcomp || is_refusal;
      if (is_last && at.in_flight != 0) --at.in_flight;
    });
    if (fresh.empty()) {
      at.is_over = at.back.empty();
      return;
    }
    at.back.push_back({clock::now() + owner_.options_.delay, {fresh.begin(), fresh.end()}});
  }

  static void give_back(line& at) {
    while (!at.is_over && !at.back.empty() && at.back.front().due <= clock::now()) {
      if (!send_all(at.client, at.back.front().what)) at.is_over = true;
      at.back.pop_front();
    }
  }

  relay& owner_;
  std::vector<std::unique_ptr<line>> lines_;
  std::vector<octet> buffer_ = std::vector<octet>(65'536);
  std::uint64_t from_clients_ = 0;
};

relay::relay(relay_options options)
    : options_{options}, listener_{listen_loopback(0)}, bell_{::eventfd(0, EFD_CLOEXEC)} {
  port_ = port_of(listener_);
  thread_ = std::thread{[this] { worker{*this}.run(); }};
}

relay::~relay() {
  const std::uint64_t one = 1;
  static_cast<void>(!::write(bell_, &one, sizeof one)); // cannot fail: the count is far from its end
  thread_.join();
  ::close(listener_);
  ::close(bell_);
}

void relay::stall_after(std::uint64_t count, std::chrono::nanoseconds time) noexcept {
  stall_time_.store(time.count());
  stall_from_.store(count);
}

} // namespace troupe::bench
