#include "bridge.hpp"

#include "bridge_desk.hpp"
#include "bridge_hooks.hpp"
#include "bridge_trail.hpp"

#include "../protocol/errc.hpp"
#include "../protocol/topic.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <charconv>
#include <chrono>
#include <mutex>
#include <utility>

namespace troupe {

using brokerage::bridge_lane;
using brokerage::bridge_trail;
using protocol::errc;

namespace {

using namespace std::chrono_literals;

constexpr std::size_t plenty = 64 * 1024;

/// Where the bridges of this broker come in. Its address tells it from others of the stage.
protocol::result<std::string> door_of(broker& own) {
  std::array<char, 16> text{};
  const auto end =
      std::to_chars(text.begin(), text.end(), reinterpret_cast<std::uintptr_t>(&own.bridges()), 16);
  const std::string url = "loopback://bridges-" + std::string{text.begin(), end.ptr};
  const auto bound = own.listen(url);
  if (!bound && bound.error() != std::errc::address_in_use) return bound.error();
  return url; // in use: by an earlier bridge of the same broker
}

protocol::result<void> check(const bridge_options& options) {
  if (options.maps.empty() || options.name.empty() || options.max_inflight == 0) return errc::bad_settings;
  if (!options.notice_topic.empty() && !protocol::check_topic_name(options.notice_topic))
    return errc::bad_settings;
  for (const bridge_map& each : options.maps) {
    if (const auto fit = each.check(); !fit) return fit;
    if (each.direction == bridge_direction::both && options.remote.version != version::v5_0)
      return errc::version_mismatch;
  }
  return {};
}

/// The lane bounds what is under way, so that the client never has to.
void make_room(client_options& of, const bridge_options& options) {
  of.pending_items = std::max(of.pending_items, plenty + 4 * options.max_inflight);
  of.pending_octets = std::max(of.pending_octets, 4 * options.max_queued_bytes + plenty * 1'024);
  of.when_offline_full = offline_overflow::reject;
  of.dial_at_once = false;
}

client_options remote_options(const bridge_options& options, const std::string& own_id,
                              const std::shared_ptr<brokerage::bridge_hooks>& hooks) {
  client_options result = options.remote;
  make_room(result, options);
  if (result.version == version::v5_0)
    static_cast<void>(result.connect_properties.add_user_property(brokerage::bridge_property, own_id));
  result.hooks = hooks;
  return result;
}

client_options local_options(const bridge_options& options, std::string door) {
  client_options result;
  make_room(result, options);
  result.broker = std::move(door);
  result.client_id = "bridge-" + options.name;
  result.clean_start = !options.keep_session;
  result.session_expiry = options.keep_session ? std::chrono::seconds{0xFFFF'FFFF} : 60s;
  result.user_name = options.local_user_name;
  result.password = options.local_password;
  result.keep_alive = 0s;
  result.connect_timeout = 10s;
  result.connack_timeout = 10s;
  result.disconnect_timeout = options.remote.disconnect_timeout;
  result.backoff_first = 10ms;
  result.backoff_limit = 1s;
  return result;
}

/// After a lost connection a broker may have forgotten the packet id of what it had taken at QoS 2 and released:
/// it says so in PUBCOMP [MQTT-4.3.3], and that is no refusal.
bool is_taken(const outcome& how) noexcept {
  return how.ok() || (!how.error() && how.reason() == reason_code::packet_identifier_not_found);
}

subscribe_options how_to_subscribe(version spoken, bridge_overflow when_full) {
  subscribe_options result;
  if (spoken == version::v5_0) {
    result.no_local = true;
    result.retain_as_published = true;
    result.retained = retained_messages::if_new;
  }
  result.run_on = when_full == bridge_overflow::block ? run_on::own_thread : run_on::home;
  result.acknowledge = ack_policy::handled;
  result.queue_items = 1'024;
  return result;
}

} // namespace

struct bridge::inside {
  inside(broker& broker, bridge_options wanted);
  protocol::result<void> start(stage& where, std::string door);
  void stop();
  void say_farewell();
  std::optional<client> take_remote();

  brokerage::lane_limits limits() const;
  void send(client& to, bridge_lane& by, protocol::publish what, std::size_t octets);
  void on_ended(std::atomic<std::uint64_t>& carried, bool is_carried);
  void on_remote(const std::string& id);
  void on_state(const state_change& now);
  void say(bool is_there);
  std::shared_ptr<const bridge_trail> trail(bool is_out) const;
  void subscribe(const bridge_map& map, bool is_out);

  broker& own;
  const bridge_options options;
  brokerage::bridge_desk& desk;
  std::atomic<std::uint64_t> suppressed{0};
  std::atomic<std::uint64_t> filters_refused{0};
  mutable std::mutex mutex{};
  std::shared_ptr<const bridge_trail> outward{}; // under mutex, as below
  std::shared_ptr<const bridge_trail> inward{};
  std::optional<bool> is_there{}; // the remote broker, as was said last
  bool is_stopped = false;

  const std::shared_ptr<brokerage::bridge_hooks> hooks;
  bridge_lane out_lane;
  bridge_lane in_lane;
  std::optional<client> local{}; // before the lanes: what is under way ends in them
  /// Once it dials, only stop() changes it, under mutex, which whoever asks from outside has.
  std::optional<client> remote{};
  std::vector<subscription> subscriptions{};
  state_watch watch{};
};

namespace {

/// Carries what one subscription hears. Belongs to the thread that calls it.
template <class Inside>
struct carrier {
  Inside* of;
  const bridge_map* map;
  bool is_out;
  std::string name{};
  protocol::property_block properties{};

  void operator()(const message& m) {
    const auto trail = of->trail(is_out);
    const std::string& from = is_out ? map->local_prefix : map->remote_prefix;
    const std::string& to = is_out ? map->remote_prefix : map->local_prefix;
    if (!trail->may_pass(m.properties()) || !brokerage::rename(m.topic(), from, to, name)) {
      of->suppressed.fetch_add(1, std::memory_order_relaxed);
      of->desk.counts.suppressed.fetch_add(1, std::memory_order_relaxed);
      return;
    }
    trail->mark(m.properties(), properties);
    (is_out ? of->out_lane : of->in_lane)
        .put({.topic = name,
              .payload = m.payload(),
              .properties = properties.view(),
              .quality = std::min(m.quality(), map->maximum),
              .retain = m.retained()});
  }
};

} // namespace

bridge::inside::inside(broker& broker, bridge_options wanted)
    : own{broker},
      options{std::move(wanted)},
      desk{broker.bridges()},
      hooks{std::make_shared<brokerage::bridge_hooks>(options.remote.hooks,
                                                      [this](const std::string& id) { on_remote(id); })},
      out_lane{limits(),
               [this](const protocol::publish& what, std::size_t octets) {
                 send(*remote, out_lane, hooks->as_taken(what, options.remote.version), octets);
               },
               [this](bool is_carried) { on_ended(desk.counts.out, is_carried); }},
      in_lane{
          limits(),
          [this](const protocol::publish& what, std::size_t octets) { send(*local, in_lane, what, octets); },
          [this](bool is_carried) { on_ended(desk.counts.in, is_carried); }} {
  on_remote({});
}

brokerage::lane_limits bridge::inside::limits() const {
  return {options.max_queued_messages, options.max_queued_bytes, options.max_inflight, options.when_full};
}

void bridge::inside::send(client& to, bridge_lane& by, protocol::publish what, std::size_t octets) {
  to.publish(what.topic, what.payload, what.quality, {.retain = what.retain, .properties = what.properties},
             [&by, octets](const outcome& how) { by.end(octets, is_taken(how)); });
}

void bridge::inside::on_ended(std::atomic<std::uint64_t>& carried, bool is_carried) {
  (is_carried ? carried : desk.counts.dropped).fetch_add(1, std::memory_order_relaxed);
}

/// On each connection: the broker there may be another than before.
void bridge::inside::on_remote(const std::string& id) {
  auto out = std::make_shared<const bridge_trail>(bridge_trail::outward(desk.id, id));
  auto in = std::make_shared<const bridge_trail>(bridge_trail::inward(desk.id, id));
  const std::lock_guard lock{mutex};
  outward = std::move(out);
  inward = std::move(in);
}

std::shared_ptr<const bridge_trail> bridge::inside::trail(bool is_out) const {
  const std::lock_guard lock{mutex};
  return is_out ? outward : inward;
}

void bridge::inside::on_state(const state_change& now) {
  const std::lock_guard lock{mutex};
  if (!is_stopped) say(now.state == client_state::connected);
}

/// Under mutex.
void bridge::inside::say(bool there) {
  if (is_there == there) return;
  if (there) desk.counts.connected.fetch_add(1, std::memory_order_relaxed);
  if (is_there == true) desk.counts.connected.fetch_sub(1, std::memory_order_relaxed);
  is_there = there;
  if (options.notice_topic.empty()) return;
  // A broker that has too much to do is told with the next change.
  static_cast<void>(own.publish(options.notice_topic, there ? "1" : "0", qos::at_least_once, true));
}

void bridge::inside::subscribe(const bridge_map& map, bool is_out) {
  client& source = is_out ? *local : *remote;
  const version spoken = is_out ? version::v5_0 : options.remote.version;
  subscriptions.push_back(source.subscribe(is_out ? map.local_filter() : map.remote_filter(), map.maximum,
                                           carrier<inside>{.of = this, .map = &map, .is_out = is_out},
                                           how_to_subscribe(spoken, options.when_full)));
}

protocol::result<void> bridge::inside::start(stage& where, std::string door) {
  auto here = client::make(where, local_options(options, std::move(door)));
  if (!here) return here.error();
  auto there = client::make(where, remote_options(options, desk.id, hooks));
  if (!there) return there.error();
  local.emplace(std::move(*here));
  remote.emplace(std::move(*there));
  for (const bridge_map& each : options.maps)
    if (each.goes_out()) subscribe(each, true);
  if (const outcome how = local->connect().get(); !how.ok())
    return how.error() ? how.error() : make_error_code(errc::refused_by_server);
  for (const subscription& each : subscriptions)
    if (!each.granted().get().ok()) return errc::refused_by_server;
  const std::size_t outward_ones = subscriptions.size();
  for (const bridge_map& each : options.maps)
    if (each.goes_in()) subscribe(each, false);
  for (std::size_t each = outward_ones; each != subscriptions.size(); ++each)
    subscriptions[each].granted([this](const outcome& how) {
      if (!how.ok() && !how.error()) filters_refused.fetch_add(1, std::memory_order_relaxed);
    });
  watch = remote->watch([this](const state_change& now) { on_state(now); });
  remote->connect([](const outcome&) {});
  return {};
}

void bridge::inside::stop() {
  {
    const std::lock_guard lock{mutex};
    if (std::exchange(is_stopped, true)) return;
  }
  if (remote && remote->state() == client_state::connected) {
    const auto until = std::chrono::steady_clock::now() + options.remote.disconnect_timeout;
    static_cast<void>(out_lane.settle(until) && in_lane.settle(until));
  }
  say_farewell();
  subscriptions.clear();
  watch = {};
  take_remote().reset();
  local.reset();
  const std::lock_guard lock{mutex};
  if (is_there) say(false);
}

/// It ends outside of the mutex, which its last words take.
std::optional<client> bridge::inside::take_remote() {
  const std::lock_guard lock{mutex};
  return std::exchange(remote, std::nullopt);
}

/// To both before the lanes close, so that nothing is acknowledged that nobody carries.
void bridge::inside::say_farewell() {
  const auto expiry = options.keep_session ? std::nullopt : std::optional{std::chrono::seconds{0}};
  pending<outcome> there;
  pending<outcome> here;
  if (remote) there = remote->disconnect();
  if (local) here = local->disconnect({.session_expiry = expiry});
  out_lane.close();
  in_lane.close();
  static_cast<void>(there.wait_for(options.remote.disconnect_timeout));
  static_cast<void>(here.wait_for(options.remote.disconnect_timeout));
}

protocol::result<std::unique_ptr<bridge>> bridge::make(stage& where, broker& own, bridge_options options) {
  if (const auto fit = check(options); !fit) return fit.error();
  auto door = door_of(own);
  if (!door) return door.error();
  auto made = std::unique_ptr<bridge>{new bridge{std::make_unique<inside>(own, std::move(options))}};
  if (const auto begun = made->inside_->start(where, std::move(*door)); !begun) return begun.error();
  return made;
}

bridge::bridge(std::unique_ptr<inside> made) : inside_{std::move(made)} {}

bridge::~bridge() { stop(); }

void bridge::stop() { inside_->stop(); }

pending<outcome> bridge::connected() {
  const std::lock_guard lock{inside_->mutex};
  return inside_->remote ? inside_->remote->connected() : pending<outcome>{};
}

client_state bridge::state() const noexcept {
  const std::lock_guard lock{inside_->mutex};
  return inside_->remote ? inside_->remote->state() : client_state::disconnected;
}

std::error_code bridge::last_error() const {
  const std::lock_guard lock{inside_->mutex};
  return inside_->remote ? inside_->remote->last_error() : std::error_code{};
}

bridge_statistics bridge::statistics() const {
  return {inside_->out_lane.counts(), inside_->in_lane.counts(),
          inside_->suppressed.load(std::memory_order_relaxed),
          inside_->filters_refused.load(std::memory_order_relaxed)};
}

} // namespace troupe
