#include "load_client.hpp"

#include "message_stamp.hpp"

#include <algorithm>
#include <chrono>

namespace troupe::bench {

client_options client_options_for(const load_plan& plan, const std::string& endpoint, std::string id,
                                  std::size_t turn) {
  client_options options;
  options.broker = endpoint;
  options.client_id = std::move(id);
  options.version = plan.version;
  options.clean_start = plan.clean_start;
  options.keep_alive = plan.keep_alive;
  options.session_expiry = plan.session_expiry;
  options.receive_maximum = plan.receive_maximum;
  if (!plan.user_name.empty()) options.user_name = plan.user_name;
  if (!plan.password.empty()) options.password = plan.password;
  options.connect_timeout = plan.connect_timeout;
  options.connack_timeout = plan.connect_timeout;
  options.tls.ca_file = plan.ca_file;
  options.tls.cert_file = plan.cert_file;
  options.tls.key_file = plan.key_file;
  if (!plan.alpn.empty()) options.tls.alpn = plan.alpn;
  options.tls.verify_peer = !plan.insecure;
  if (const auto& all = plan.local_addresses; !all.empty())
    options.socket.local_address = all[turn % all.size()];
  options.reconnect = plan.reconnects;
  options.dial_at_once = false;
  if (plan.is_embedded()) options.send_window = 65'535; // so much ours takes
  const std::size_t in_flight = std::max<std::size_t>(plan.window, 1) * 2;
  options.pending_items = std::max(options.pending_items, in_flight);
  options.pending_octets = std::max(options.pending_octets, in_flight * (plan.payload_size() + 1'024));
  return options;
}

will will_for(const load_plan& plan, std::uint32_t number) {
  return {.topic = with_number(plan.will_topic, number),
          .payload = plan.will_text,
          .quality = plan.will_quality,
          .retain = plan.will_retain,
          .delay = plan.will_delay};
}

void load_client::begin() {
  watch_ = user_.watch([this](const state_change& change) {
    if (change.state == client_state::handshaking && !is_decided()) dialled_ = now_ns();
  });
  begun_ = now_ns();
  user_.connect([this](const outcome& how) {
    if (!how.ok()) {
      const std::error_code cause = user_.last_error();
      failure_ = cause ? cause.message() : how.text();
    }
    decided_.store(now_ns(), std::memory_order_release);
    told_.tell();
  });
}

void load_client::subscribe(std::span<const std::string> filters, qos quality,
                            std::function<void(const message&)> handler, const subscribe_options& how) {
  open_filters_.store(filters.size(), std::memory_order_release);
  asked_ = now_ns();
  for (const std::string& filter : filters) {
    interests_.push_back(user_.subscribe(filter, quality, handler, how));
    interests_.back().granted([this](const outcome& end) {
      if (!end.ok()) failure_ = "subscribe: " + end.text();
      subscribed_after_.store(now_ns() - asked_, std::memory_order_release);
      if (open_filters_.fetch_sub(1, std::memory_order_acq_rel) == 1) told_.tell();
    });
  }
}

std::size_t bring_up(std::span<load_client* const> clients, const bring_up_options& how, news& told) {
  using clock = std::chrono::steady_clock;
  const auto start = clock::now();
  const auto due_time = [&](std::size_t number) {
    if (how.rate <= 0) return start;
    return start
           + std::chrono::nanoseconds{
               static_cast<std::int64_t>(static_cast<double>(number) * 1e9 / how.rate)};
  };
  std::vector<load_client*> open;
  std::size_t next = 0;
  auto next_tick = start + news::tick;
  for (;;) {
    std::erase_if(open, [](const load_client* each) { return each->is_decided(); });
    const auto now = clock::now();
    const auto may_begin = [&] { return next < clients.size() && open.size() < how.at_once; };
    while (may_begin() && due_time(next) <= now) {
      clients[next]->begin();
      open.push_back(clients[next++]);
    }
    if (next == clients.size() && open.empty()) break;
    if (now >= next_tick) {
      next_tick = now + news::tick;
      if (how.tick && !how.tick()) break;
    }
    told.wait_until(may_begin() ? std::min(due_time(next), next_tick) : next_tick);
  }
  return static_cast<std::size_t>(
      std::count_if(clients.begin(), clients.end(), [](const load_client* each) { return each->is_up(); }));
}

} // namespace troupe::bench
