#include "bare_broker.hpp"

#include "frame_reader.hpp"
#include "loopback_socket.hpp"

#include "../../protocol/topic.hpp"

#include <fcntl.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <system_error>

namespace troupe::bench {
namespace {

using protocol::packet_type;
using protocol::qos;

constexpr std::size_t read_size = std::size_t{256} << 10U;
constexpr std::size_t largest_frame = std::size_t{16} << 20U;
constexpr std::size_t much_waiting = std::size_t{4} << 20U; // nobody may say more until it is gone

/// A remaining length has four octets at most: no octet that may still come makes a frame of this.
bool has_endless_length(const octet* begin, const octet* end) noexcept {
  return end - begin > 4 && std::all_of(begin + 1, begin + 5, [](octet each) { return each >= 0x80; });
}

[[noreturn]] void give_up(const char* what) { throw std::system_error{errno, std::generic_category(), what}; }

} // namespace

struct bare_broker::connection {
  int socket = -1;
  std::vector<octet> in = std::vector<octet>(read_size);
  std::size_t begin = 0;
  std::size_t end = 0;
  std::vector<octet> out{};
  std::size_t out_begin = 0;
  std::vector<std::string> filters{};
  packet_id last_id = 0;
  bool is_v5 = false;
  bool is_known = false; // has said CONNECT
  bool is_dirty = false;
  bool waits_for_room = false;
  bool is_jammed = false; // so much waits that nobody may say more
  bool is_closed = false;

  void add(std::initializer_list<std::size_t> values) {
    for (const std::size_t each : values) out.push_back(static_cast<octet>(each));
  }
  void add_size(std::size_t rest) {
    for (; rest > 127; rest >>= 7U) out.push_back(static_cast<octet>(rest | 0x80U));
    out.push_back(static_cast<octet>(rest));
  }
  void add_ack(packet_type type, std::size_t id) {
    std::array<octet, ack_size> ack{};
    put_ack(ack.data(), type, static_cast<packet_id>(id));
    out.insert(out.end(), ack.begin(), ack.end());
  }
  packet_id next_id() noexcept {
    if (++last_id == 0) last_id = 1;
    return last_id;
  }
};

bare_broker::bare_broker(std::uint16_t port) {
  listener_ = listen_loopback(port);
  ::fcntl(listener_, F_SETFL, O_NONBLOCK);
  poll_ = ::epoll_create1(EPOLL_CLOEXEC);
  bell_ = ::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
  port_ = port_of(listener_);
  for (const int each : {listener_, bell_}) {
    epoll_event wish{.events = EPOLLIN, .data = {.fd = each}};
    if (::epoll_ctl(poll_, EPOLL_CTL_ADD, each, &wish) != 0) give_up("epoll");
  }
}

bare_broker::~bare_broker() {
  for (const auto& [socket, each] : connections_) ::close(socket);
  for (const int each : {listener_, poll_, bell_})
    if (each >= 0) ::close(each);
}

void bare_broker::stop() {
  const std::uint64_t one = 1;
  static_cast<void>(!::write(bell_, &one, sizeof one)); // cannot fail: the count is far from its end
}

void bare_broker::run() {
  std::array<epoll_event, 256> events;
  for (;;) {
    const int count = ::epoll_wait(poll_, events.data(), static_cast<int>(events.size()), -1);
    if (count < 0 && errno != EINTR) give_up("epoll");
    for (int i = 0; i < count; ++i) {
      const int socket = events[static_cast<std::size_t>(i)].data.fd;
      if (socket == bell_) return;
      if (socket == listener_) {
        take_connections();
        continue;
      }
      const auto place = connections_.find(socket);
      if (place == connections_.end()) continue;
      connection& each = *place->second;
      if ((events[static_cast<std::size_t>(i)].events & EPOLLOUT) != 0) write(each);
      if (!each.is_closed && (events[static_cast<std::size_t>(i)].events & ~EPOLLOUT) != 0) read(each);
    }
    flush_all();
    gone_.clear();
  }
}

void bare_broker::take_connections() {
  for (;;) {
    const int socket = ::accept4(listener_, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (socket < 0) return;
    set_no_delay(socket);
    epoll_event wish{.events = EPOLLIN, .data = {.fd = socket}};
    ::epoll_ctl(poll_, EPOLL_CTL_ADD, socket, &wish);
    auto fresh = std::make_unique<connection>();
    fresh->socket = socket;
    connections_[socket] = std::move(fresh);
  }
}

void bare_broker::read(connection& from) {
  if (jammed_ != 0 && !from.waits_for_room) return; // epoll asks again
  if (from.end == from.in.size()) {
    std::copy(from.in.begin() + static_cast<std::ptrdiff_t>(from.begin),
              from.in.begin() + static_cast<std::ptrdiff_t>(from.end), from.in.begin());
    from.end -= from.begin;
    from.begin = 0;
    if (from.end == from.in.size()) from.in.resize(from.in.size() * 2);
  }
  if (from.in.size() > largest_frame) return close(from);
  const auto count = ::recv(from.socket, from.in.data() + from.end, from.in.size() - from.end, 0);
  if (count < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (count <= 0) return close(from);
  from.end += static_cast<std::size_t>(count);
  while (!from.is_closed) {
    const raw_frame frame = cut_frame(from.in.data() + from.begin, from.in.data() + from.end);
    if (frame.size == 0) {
      if (has_endless_length(from.in.data() + from.begin, from.in.data() + from.end)) return close(from);
      break;
    }
    from.begin += frame.size;
    if (!on_frame(from, frame)) return close(from);
  }
  if (from.begin == from.end) from.begin = from.end = 0;
}

bool bare_broker::on_frame(connection& from, const raw_frame& frame) {
  if (!from.is_known && frame.type() != packet_type::connect) return false;
  if (!from.is_dirty) {
    from.is_dirty = true;
    dirty_.push_back(&from);
  }
  const bool has_id = frame.size >= ack_size;
  switch (frame.type()) {
  case packet_type::connect: return on_connect(from, frame);
  case packet_type::publish: return on_publish(from, frame);
  case packet_type::subscribe: return on_subscribe(from, frame);
  case packet_type::unsubscribe: return on_unsubscribe(from, frame);
  case packet_type::pingreq: from.add({0xD0, 0}); return true;
  case packet_type::pubrec:
    if (has_id) from.add_ack(packet_type::pubrel, frame.id());
    return has_id;
  case packet_type::pubrel:
    if (has_id) from.add_ack(packet_type::pubcomp, frame.id());
    return has_id;
  case packet_type::puback:
  case packet_type::pubcomp: return has_id;
  default: return false; // DISCONNECT, and what no client sends
  }
}

bool bare_broker::on_connect(connection& from, const raw_frame& frame) {
  frame_reader in{frame};
  const std::string_view name = in.text();
  const std::size_t version = in.one();
  if (from.is_known || name != "MQTT" || (version != 4 && version != 5)) return false;
  from.is_known = true;
  from.is_v5 = version == 5;
  from.is_v5 ? from.add({0x20, 3, 0, 0, 0}) : from.add({0x20, 2, 0, 0});
  return true;
}

bool bare_broker::on_publish(connection& from, const raw_frame& frame) {
  frame_reader in{frame};
  topic_ = in.text();
  const auto quality = static_cast<qos>(*frame.begin >> 1U & 3U);
  const std::size_t id = quality == qos::at_most_once ? 0 : in.two();
  octet* const rest = in.place();
  if (from.is_v5) in.skip(in.varint());
  if (!in.is_good() || topic_.empty() || quality > qos::exactly_once) return false;
  if (quality == qos::at_least_once) from.add_ack(packet_type::puback, id);
  if (quality == qos::exactly_once) from.add_ack(packet_type::pubrec, id);
  const octets with_properties{rest, static_cast<std::size_t>(frame.begin + frame.size - rest)};
  const octets payload{in.place(), in.left()};
  const auto give = [&](const interest& each) {
    connection& to = *each.who;
    const auto lower = std::min(quality, each.maximum);
    const bool has_id = lower != qos::at_most_once;
    const bool is_same = to.is_v5 == from.is_v5;
    const std::size_t tail = is_same ? with_properties.size() : payload.size() + (to.is_v5 ? 1 : 0);
    to.add({0x30U | static_cast<unsigned>(lower) << 1U});
    to.add_size(2 + topic_.size() + (has_id ? 2 : 0) + tail);
    to.add({topic_.size() >> 8U, topic_.size()});
    to.out.insert(to.out.end(), topic_.begin(), topic_.end());
    if (has_id) {
      const packet_id own = to.next_id();
      to.add({std::size_t{own} >> 8U, own});
    }
    if (!is_same && to.is_v5) to.add({0});
    const octets& what = is_same ? with_properties : payload;
    to.out.insert(to.out.end(), what.begin(), what.end());
    if (to.is_dirty) return;
    to.is_dirty = true;
    dirty_.push_back(&to);
  };
  if (const auto place = names_.find(topic_); place != names_.end())
    for (const interest& each : place->second) give(each);
  for (const auto& [filter, each] : patterns_)
    if (protocol::matches(filter, topic_)) give(each);
  return true;
}

bool bare_broker::on_subscribe(connection& from, const raw_frame& frame) {
  frame_reader in{frame};
  const std::size_t id = in.two();
  if (from.is_v5) in.skip(in.varint());
  std::vector<std::size_t> answers;
  while (in.is_good() && !in.is_over()) {
    const std::string filter{in.text()};
    const std::size_t asked = in.one() & 3U;
    if (!in.is_good() || asked > 2) return false;
    if (protocol::is_shared(filter) || !protocol::check_topic_filter(filter)) {
      answers.push_back(from.is_v5 ? 0x9E : 0x80);
      continue;
    }
    forget(from, filter);
    const interest fresh{&from, static_cast<qos>(asked)};
    if (protocol::has_wildcard(filter))
      patterns_.emplace_back(filter, fresh);
    else
      names_[filter].push_back(fresh);
    from.filters.push_back(filter);
    answers.push_back(asked);
  }
  from.add({0x90});
  from.add_size(2 + (from.is_v5 ? 1 : 0) + answers.size());
  from.add({id >> 8U, id});
  if (from.is_v5) from.add({0});
  for (const std::size_t each : answers) from.add({each});
  return in.is_good() && !answers.empty();
}

bool bare_broker::on_unsubscribe(connection& from, const raw_frame& frame) {
  frame_reader in{frame};
  const std::size_t id = in.two();
  if (from.is_v5) in.skip(in.varint());
  std::vector<std::size_t> answers;
  while (in.is_good() && !in.is_over()) {
    const std::string filter{in.text()};
    const auto place = std::find(from.filters.begin(), from.filters.end(), filter);
    answers.push_back(place == from.filters.end() ? 0x11 : 0);
    forget(from, filter);
  }
  from.add({0xB0});
  from.add_size(2 + (from.is_v5 ? 1 + answers.size() : 0));
  from.add({id >> 8U, id});
  if (!from.is_v5) return in.is_good();
  from.add({0});
  for (const std::size_t each : answers) from.add({each});
  return in.is_good();
}

void bare_broker::forget(connection& who, std::string_view filter) {
  const auto is_his = [&who](const interest& each) { return each.who == &who; };
  if (const auto place = names_.find(std::string{filter}); place != names_.end()) {
    std::erase_if(place->second, is_his);
    if (place->second.empty()) names_.erase(place);
  }
  std::erase_if(patterns_, [&](const auto& each) { return each.first == filter && is_his(each.second); });
  std::erase(who.filters, filter);
}

void bare_broker::write(connection& to) {
  while (to.out_begin < to.out.size()) {
    const auto count =
        ::send(to.socket, to.out.data() + to.out_begin, to.out.size() - to.out_begin, MSG_NOSIGNAL);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0 && errno != EAGAIN) return close(to);
    if (count < 0) break;
    to.out_begin += static_cast<std::size_t>(count);
  }
  const bool waits = to.out_begin < to.out.size();
  if (!waits) {
    to.out.clear();
    to.out_begin = 0;
  } else if (to.out_begin > read_size) {
    to.out.erase(to.out.begin(), to.out.begin() + static_cast<std::ptrdiff_t>(to.out_begin));
    to.out_begin = 0;
  }
  jam(to, to.out.size() > much_waiting);
  if (waits == to.waits_for_room) return;
  to.waits_for_room = waits;
  epoll_event wish{.events = EPOLLIN | (waits ? EPOLLOUT : 0U), .data = {.fd = to.socket}};
  ::epoll_ctl(poll_, EPOLL_CTL_MOD, to.socket, &wish);
}

void bare_broker::jam(connection& which, bool is_jammed) noexcept {
  if (which.is_jammed == is_jammed) return;
  which.is_jammed = is_jammed;
  is_jammed ? ++jammed_ : --jammed_;
}

void bare_broker::flush_all() {
  for (std::size_t i = 0; i < dirty_.size(); ++i) {
    connection& each = *dirty_[i];
    each.is_dirty = false;
    if (!each.is_closed) write(each);
  }
  dirty_.clear();
}

void bare_broker::close(connection& which) {
  if (which.is_closed) return;
  which.is_closed = true;
  jam(which, false);
  const auto filters = which.filters;
  for (const std::string& each : filters) forget(which, each);
  ::close(which.socket);
  const auto place = connections_.find(which.socket);
  gone_.push_back(std::move(place->second)); // others may still look at it in this round
  connections_.erase(place);
}

} // namespace troupe::bench
