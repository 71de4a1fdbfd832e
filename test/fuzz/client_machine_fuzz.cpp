// client_machine_fuzz: a whole conversation as input. The first octet chooses settings, then octets choose
// what the user does and what the server says. Whatever comes: every request ends once, one close a
// connection, nothing said after it, everything said is well-formed.
#include "machine_input.hpp"

#include <troupe/protocol/client_machine.hpp>

#include <map>
#include <set>
#include <string>

using namespace troupe::protocol;
using fuzzing::demand;

namespace {

constexpr std::string_view topics[] = {"a", "a/long/topic/name", "b", "bad/+"};
constexpr std::string_view filters[] = {"a", "a/#", "$share/g/a", "+/b", "bad#"};
constexpr octet payload[] = "0123456789";

class user final : public client_host {
public:
  outbox& out() override { return box; }
  void on_connected(const connack&) override { demand(!is_closed, "no CONNACK after a close"); }
  bool on_deliver(const publish& packet, delivery_tag tag) override {
    demand(!packet.topic.empty(), "a delivered topic is whole");
    demand((packet.quality == qos::at_most_once) == (packet.id == 0), "ids belong to QoS 1 and 2");
    if (packet.quality == qos::at_most_once || settles_at_once) return true;
    unsettled.push_back(tag);
    return false;
  }
  void on_complete(request_token token, const verdict&) override {
    demand(open.erase(token) == 1, "a request ends once");
  }
  kept_publish recall(request_token token) override {
    demand(kept.contains(token) && open.contains(token), "only open publishes are recalled");
    return kept[token];
  }
  void on_auth(const auth&) override {}
  void on_close(const closing&) override {
    demand(!is_closed, "one close a connection");
    is_closed = true;
  }

  fuzzing::memory_outbox box;
  std::map<request_token, kept_publish> kept;
  std::set<request_token> open;
  std::vector<delivery_tag> unsettled;
  bool settles_at_once = true;
  bool is_closed = false;
};

class conversation {
public:
  explicit conversation(fuzzing::script& script)
      : script_{&script}, options_{choose(script)}, machine_{options_, host_} {}

  void run() {
    while (!script_->is_over()) {
      act(script_->next());
      listen();
    }
    machine_.abandon(errc::closed);
    demand(host_.open.empty(), "abandon ends everything");
    demand(machine_.inflight() == 0 && machine_.parked() == 0, "abandon leaves nothing");
  }

private:
  static client_machine_options choose(fuzzing::script& script) {
    const unsigned bits = script.next();
    client_machine_options options;
    options.protocol = (bits & 1U) != 0 ? version::v3_1_1 : version::v5_0;
    options.client_id = "c";
    options.clean_start = (bits & 2U) != 0;
    options.keep_alive = std::chrono::seconds{(bits & 4U) != 0 ? 10 : 0};
    options.session_expiry = std::chrono::seconds{3600};
    options.receive_maximum = (bits & 8U) != 0 ? 2 : 65'535;
    options.topic_alias_maximum = (bits & 16U) != 0 ? 3 : 0;
    options.outbound_topic_aliases = (bits & 32U) != 0 ? 2 : 0;
    if ((bits & 64U) != 0 && options.protocol == version::v5_0)
      demand(
          options.connect_properties.set(property::authentication_method, std::string_view{"m"}).has_value(),
          "a method can be set");
    return options;
  }

  void act(unsigned what) {
    const unsigned detail = what >> 4U;
    switch (what & 15U) {
    case 0: bring_up(); break;
    case 1: bring_down(); break;
    case 2:
    case 3:
    case 4: publish_one(static_cast<qos>((what & 15U) - 2), detail); break;
    case 5: subscribe_one(detail); break;
    case 6: unsubscribe_one(detail); break;
    case 7: machine_.cancel(1 + detail); break;
    case 8: settle_one(detail); break;
    case 9: pass(std::chrono::seconds{detail}); break;
    case 10: host_.settles_at_once = detail % 2 == 0; break;
    case 11: say_connack(detail); break;
    case 12: finish(detail); break;
    case 13: static_cast<void>(machine_.send_auth(reason_code::reauthenticate, {}, now_)); break;
    default: feed(script_->take(detail == 15 ? script_->next() : detail));
    }
  }

  void bring_up() {
    if (is_up_) return;
    is_up_ = true;
    host_.is_closed = was_closed_ = false;
    frames_ = framer{};
    frames_.set_version(options_.protocol);
    machine_.transport_up(now_);
  }
  void bring_down() {
    machine_.transport_down(now_);
    is_up_ = false;
  }
  void feed(const std::vector<octet>& input) {
    if (is_up_) fuzzing::feed(frames_, machine_, input, options_.protocol, role::client, now_);
  }
  // Random octets seldom make a CONNACK, and little happens without one.
  void say_connack(unsigned detail) {
    if (!is_up_) return;
    const octet present = (detail & 1U) != 0 ? 1 : 0;
    std::vector<octet> said{0x20, 0x02, present, 0x00};
    if (options_.protocol == version::v5_0) {
      said = {0x20, 0x0B, present, 0x00, 0x08, 0x21, 0x00, 0x02, 0x27, 0x00, 0x00, 0x00, 0x40};
      if ((detail & 2U) != 0) said = {0x20, 0x06, present, 0x00, 0x03, 0x22, 0x00, 0x02};
    }
    said.resize(said.size() + read_slack);
    feed(said);
  }
  void publish_one(qos quality, unsigned detail) {
    const request_token token = next_++;
    kept_publish kept{};
    kept.packet.topic = topics[detail % std::size(topics)];
    kept.packet.payload = octets{payload}.first(detail / 4);
    kept.packet.quality = quality;
    host_.kept[token] = kept;
    host_.open.insert(token);
    if (!machine_.publish(token, kept, now_)) host_.open.erase(token);
  }
  void subscribe_one(unsigned detail) {
    const request_token token = next_++;
    const subscription line{.filter = filters[detail % std::size(filters)],
                            .quality = static_cast<qos>(detail % 3)};
    host_.open.insert(token);
    if (!machine_.subscribe(token, {&line, 1}, {}, now_)) host_.open.erase(token);
  }
  void unsubscribe_one(unsigned detail) {
    const request_token token = next_++;
    const std::string_view filter = filters[detail % std::size(filters)];
    host_.open.insert(token);
    if (!machine_.unsubscribe(token, {&filter, 1}, {}, now_)) host_.open.erase(token);
  }
  void settle_one(unsigned detail) {
    if (host_.unsettled.empty()) return;
    const auto at = host_.unsettled.begin() + static_cast<std::ptrdiff_t>(detail % host_.unsettled.size());
    machine_.settle(*at, detail > 12 ? reason_code::quota_exceeded : reason_code::success, now_);
    host_.unsettled.erase(at);
  }
  void pass(std::chrono::seconds time) {
    now_ += time;
    for (int i = 0; i < 3 && machine_.next_deadline() <= now_; ++i) machine_.on_deadline(now_);
    demand(machine_.next_deadline() > now_, "a deadline that was met is over");
  }
  void finish(unsigned detail) {
    const auto reason =
        detail % 2 == 0 ? reason_code::normal_disconnection : reason_code::disconnect_with_will;
    machine_.disconnect(reason, {}, now_);
  }

  void listen() {
    if (!is_up_) {
      host_.box.take();
      return;
    }
    fuzzing::read_back(host_.box.take(), options_.protocol, role::server,
                       [&](const inbound_packet&) { demand(!was_closed_, "nothing is said after a close"); });
    was_closed_ = host_.is_closed;
  }

  fuzzing::script* script_;
  client_machine_options options_;
  user host_;
  client_machine machine_;
  framer frames_;
  time_point now_{};
  request_token next_ = 1;
  bool is_up_ = false;
  bool was_closed_ = false;
};

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzzing::script script{data, size};
  conversation{script}.run();
  return 0;
}
