#include "raw_limit.hpp"

#include "raw_roles.hpp"

#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <exception>
#include <optional>
#include <system_error>
#include <thread>
#include <tuple>

namespace troupe::bench {
namespace {

class watch {
public:
  watch() : epoll_{::epoll_create1(EPOLL_CLOEXEC)} {
    if (epoll_ < 0) throw std::system_error{errno, std::generic_category(), "epoll_create1"};
  }
  ~watch() { ::close(epoll_); }
  watch(const watch&) = delete;
  watch& operator=(const watch&) = delete;
  void add(int socket) {
    epoll_event event{};
    event.events = EPOLLIN;
    ::epoll_ctl(epoll_, EPOLL_CTL_ADD, socket, &event);
  }
  void sleep() {
    epoll_event events[2];
    ::epoll_wait(epoll_, events, 2, -1);
  }

private:
  int epoll_;
};

// Large messages: what is on its way should stay in the cache between two copies. Measured with 8 KB:
// 1.8 us a message with 192 KB on their way, 5 us without a bound (the socket's buffers grow).
std::uint64_t window_of(const raw_format& format) {
  constexpr std::size_t large = 4'096;
  constexpr std::size_t bound = std::size_t{192} << 10U;
  return format.frame() < large ? UINT64_MAX : std::max<std::uint64_t>(bound / format.frame(), 1);
}

} // namespace

struct raw_limit::parts {
  explicit parts(const raw_plan& from)
      : plan{from}, format{plan.version, plan.quality, plan.topic, plan.payload} {
    std::tie(client_link, broker_link) = connect_raw(plan.medium, format.frame());
    if (plan.medium == raw_medium::memory) raw_link::join_in_memory(client_link, broker_link);
    raw_link* out = &client_link;
    raw_link* broker_out = &broker_link;
    if (plan.threads == 3) {
      std::tie(subscriber_link, broker_subscriber_link) = connect_raw(plan.medium, format.frame());
      out = &subscriber_link;
      broker_out = &broker_subscriber_link;
    }
    publisher.emplace(client_link, format);
    subscriber.emplace(*out, format);
    broker.emplace(broker_link, *broker_out, format);
    if (plan.threads >= 2) broker_thread = std::thread{[this] { guard([this] { run_broker(); }); }};
    if (plan.threads == 3) subscriber_thread = std::thread{[this] { guard([this] { run_subscriber(); }); }};
  }

  ~parts() {
    // Half-closed sockets end the other threads.
    for (const raw_link* link : {&client_link, &subscriber_link})
      if (link->socket() >= 0) ::shutdown(link->socket(), SHUT_RDWR);
    if (broker_thread.joinable()) broker_thread.join();
    if (subscriber_thread.joinable()) subscriber_thread.join();
  }

  template <class Body>
  void guard(Body body) {
    try {
      body();
    } catch (...) {
      failure = std::current_exception();
      has_failed.store(true, std::memory_order_release);
      received.fetch_add(1, std::memory_order_release);
      received.notify_all();
    }
  }

  void run_broker() {
    watch sockets;
    sockets.add(broker_link.socket());
    if (plan.threads == 3) sockets.add(broker_subscriber_link.socket());
    do {
      if (broker->is_blocked()) broker->unblock();
      sockets.sleep();
    } while (broker->step());
  }

  void run_subscriber() {
    watch sockets;
    sockets.add(subscriber_link.socket());
    while (!subscriber_link.is_closed()) {
      sockets.sleep();
      read_subscriber(subscriber_link, raw_link::wait::no);
      if (subscriber->received() != 0) {
        received.store(static_cast<std::uint32_t>(subscriber->received()), std::memory_order_release);
        received.notify_one();
      }
      // Last: once the final acknowledgement is out, the book belongs to the constructing thread.
      while (!subscriber_link.flush()) subscriber_link.wait_for_room();
    }
  }

  bool read_subscriber(raw_link& link, raw_link::wait how) {
    if (!link.read(how)) return false;
    for (raw_frame frame = link.next_frame(); frame.size != 0; frame = link.next_frame())
      subscriber->on_frame(frame);
    return true;
  }

  // The client's one link carries what is meant for publisher and for subscriber.
  bool read_client(raw_link::wait how) {
    if (!client_link.read(how)) return false;
    for (raw_frame frame = client_link.next_frame(); frame.size != 0; frame = client_link.next_frame()) {
      const auto type = frame.type();
      if (type == protocol::packet_type::publish || type == protocol::packet_type::pubrel)
        subscriber->on_frame(frame);
      else
        publisher->on_frame(frame);
    }
    return true;
  }

  void read_outcomes(raw_link::wait how) {
    if (!client_link.read(how)) return;
    for (raw_frame frame = client_link.next_frame(); frame.size != 0; frame = client_link.next_frame())
      publisher->on_frame(frame);
  }

  void check_failure() {
    if (has_failed.load(std::memory_order_acquire)) std::rethrow_exception(failure);
  }

  raw_plan plan;
  raw_format format;
  raw_link client_link, broker_link;
  raw_link subscriber_link, broker_subscriber_link; // with three threads
  std::optional<raw_publisher> publisher;
  std::optional<raw_subscriber> subscriber;
  std::optional<raw_broker> broker;
  std::uint64_t number = 0; // of the next message
  std::uint64_t faults = 0;
  // Written by the subscriber's thread after each read, read by the publisher's; release/acquire also
  // covers the subscriber's book.
  std::atomic<std::uint32_t> received{0};
  std::exception_ptr failure;          // written once, before has_failed
  std::atomic<bool> has_failed{false}; // release by whoever failed, acquire by the constructing thread
  std::thread broker_thread, subscriber_thread;
};

raw_limit::raw_limit(const raw_plan& plan) : parts_{std::make_unique<parts>(plan)} {}
raw_limit::~raw_limit() = default;

std::uint64_t raw_limit::faults() const noexcept { return parts_->faults; }

std::chrono::nanoseconds raw_limit::burst(std::uint64_t messages, std::uint64_t window) {
  parts& p = *parts_;
  window = std::min(window, window_of(p.format));
  // The subscriber's thread is at rest (await_rest) and sees this by the socket that wakes it.
  p.subscriber->arm(p.number, messages);
  p.received.store(0, std::memory_order_release);
  const auto begin = std::chrono::steady_clock::now();
  p.publisher->arm(p.number, messages);
  if (p.plan.threads == 1) one_thread(window);
  if (p.plan.threads == 2) two_threads(window);
  if (p.plan.threads == 3) three_threads(window);
  const auto end = std::chrono::steady_clock::now();
  await_rest();
  const sequence_check& book = p.subscriber->check();
  p.faults += book.lost() + book.duplicated() + book.reordered() + book.damaged();
  p.number += messages;
  return end - begin;
}

void raw_limit::one_thread(std::uint64_t window) {
  parts& p = *parts_;
  while (p.publisher->has_more() || !p.publisher->is_settled()
         || p.subscriber->received() != p.publisher->produced()) {
    p.publisher->produce(std::max(window, p.subscriber->received() + window));
    p.broker->step();
    p.read_client(raw_link::wait::no);
  }
}

void raw_limit::two_threads(std::uint64_t window) {
  parts& p = *parts_;
  for (;;) {
    p.publisher->produce(std::max(window, p.subscriber->received() + window));
    if (p.client_link.has_output()) p.client_link.flush();
    const bool is_done = !p.publisher->has_more() && p.publisher->is_settled()
                         && p.subscriber->received() == p.publisher->produced();
    if (is_done) break;
    const bool may_go_on = p.publisher->has_more() && !p.client_link.has_output()
                           && p.publisher->produced() - p.subscriber->received() < window;
    p.read_client(may_go_on ? raw_link::wait::no : raw_link::wait::yes);
    p.check_failure();
  }
}

void raw_limit::three_threads(std::uint64_t window) {
  parts& p = *parts_;
  while (p.publisher->has_more()) {
    const std::uint64_t received = p.received.load(std::memory_order_acquire);
    p.publisher->produce(std::max(window, received + window));
    if (!p.publisher->has_more() && !p.client_link.has_output()) break;
    if (p.client_link.has_output()) {
      p.read_outcomes(raw_link::wait::yes);
    } else if (p.publisher->produced() - received >= window) {
      await_receipt(received + 1);
    }
    p.check_failure();
  }
  while (!p.publisher->is_settled() || p.client_link.has_output()) {
    p.client_link.flush();
    if (!p.publisher->is_settled()) p.read_outcomes(raw_link::wait::yes);
    p.client_link.flush();
    p.check_failure();
  }
  await_receipt(p.publisher->produced());
}

void raw_limit::await_receipt(std::uint64_t count) {
  parts& p = *parts_;
  for (;;) {
    const std::uint32_t seen = p.received.load(std::memory_order_acquire);
    p.check_failure();
    if (seen >= count) return;
    p.received.wait(seen, std::memory_order_acquire);
  }
}

// What still travels after a burst: acknowledgements of the subscriber's leg.
void raw_limit::await_rest() {
  parts& p = *parts_;
  if (!p.format.has_id()) return;
  const std::uint64_t sent = p.number + p.publisher->produced();
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds{30};
  while (p.client_link.has_output() || p.broker->settled() != sent) {
    p.check_failure();
    if (std::chrono::steady_clock::now() > deadline)
      throw std::system_error{ETIMEDOUT, std::generic_category(), "raw limit: acknowledgements are missing"};
    p.client_link.flush();
    if (p.plan.threads == 1) p.broker->step();
    if (p.plan.threads != 3) p.read_client(raw_link::wait::no);
    if (p.plan.threads != 1) std::this_thread::yield();
  }
}

} // namespace troupe::bench
