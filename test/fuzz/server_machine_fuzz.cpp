// server_machine_fuzz: a whole conversation as input. The first octet chooses settings, then octets choose
// what the client says and what the host does. Whatever comes: every delivery ends at most once, one close
// a connection, nothing said after it, everything said is well-formed.
#include "machine_input.hpp"

#include <troupe/protocol/server_machine.hpp>

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>

using namespace troupe::protocol;
using fuzzing::demand;

namespace {

constexpr std::string_view topics[] = {"a", "a/long/topic/name", "b", "c"};
constexpr octet payload[] = "0123456789";

class host final : public server_host {
public:
  outbox& out() override { return box; }
  void on_connect(const connect& packet) override {
    demand(!is_closed, "no CONNECT after a close");
    protocol = packet.protocol;
  }
  publish_verdict on_publish(const publish& packet, octets whole, bool same_bytes) override {
    demand(!is_closed, "nothing is heard after a close");
    demand(!packet.topic.empty() && !whole.empty(), "a publish is whole");
    demand(same_bytes == (packet.topic_alias == 0), "an alias changes the bytes");
    if (answer.deferred && packet.id != 0) deferred.push_back(packet.id);
    return answer;
  }
  void on_subscribe(const subscribe& packet) override {
    demand(!packet.filters.empty(), "SUBSCRIBE has a filter");
    asked.emplace_back(packet.id, packet.filters.size());
  }
  void on_unsubscribe(const unsubscribe& packet) override {
    left.emplace_back(packet.id, packet.filters.size());
  }
  void on_delivered(request_token token) override { demand(open.erase(token) == 1, "a delivery ends once"); }
  kept_publish recall(request_token token) override {
    demand(open.contains(token), "only open deliveries are recalled");
    return kept.at(token);
  }
  void on_auth(const auth&) override {}
  void on_disconnect(const disconnect&) override { demand(!is_closed, "DISCONNECT comes before the close"); }
  void on_close(const closing&) override {
    demand(!is_closed, "one close a connection");
    is_closed = true;
  }

  fuzzing::memory_outbox box;
  publish_verdict answer{};
  std::map<request_token, kept_publish> kept;
  std::set<request_token> open;
  std::vector<packet_id> deferred;
  std::vector<std::pair<packet_id, std::size_t>> asked;
  std::vector<std::pair<packet_id, std::size_t>> left;
  version protocol = version::v5_0;
  bool is_closed = false;
};

class conversation {
public:
  explicit conversation(fuzzing::script& script) : script_{&script} {
    choose();
    connect_anew();
  }

  void run() {
    while (!script_->is_over()) {
      act(script_->next());
      listen();
    }
  }

private:
  void choose() {
    const unsigned bits = script_->next();
    options_.receive_maximum = (bits & 1U) != 0 ? 2 : 65'535;
    options_.topic_alias_maximum = (bits & 2U) != 0 ? 3 : 0;
    options_.outbound_topic_aliases = (bits & 4U) != 0 ? 2 : 0;
    options_.maximum_qos = (bits & 8U) != 0 ? qos::at_least_once : qos::exactly_once;
    options_.retain_available = (bits & 16U) == 0;
    options_.wildcard_subscription_available = (bits & 32U) == 0;
    options_.shared_subscription_available = (bits & 64U) == 0;
    options_.max_keep_alive = std::chrono::seconds{(bits & 128U) != 0 ? 10 : 0};
  }
  void connect_anew() {
    machine_.emplace(options_, host_, now_);
    frames_ = framer{};
    host_.is_closed = was_closed_ = false;
    host_.deferred.clear();
    host_.asked.clear();
    host_.left.clear();
    host_.box.take();
  }

  void act(unsigned what) {
    const unsigned detail = what >> 4U;
    switch (what & 15U) {
    case 0: connect_anew(); break;
    case 1: say_connect(detail); break;
    case 2: accept(detail % 2 == 0); break;
    case 3: machine_->refuse(reason_code::not_authorized, {}, now_); break;
    case 4:
    case 5:
    case 6: deliver_one(static_cast<qos>((what & 15U) - 4), detail); break;
    case 7: answer_subscribe(); break;
    case 8: answer_unsubscribe(); break;
    case 9: pass(std::chrono::seconds{detail}); break;
    case 10:
      host_.answer = {detail > 12 ? reason_code::not_authorized : reason_code::success, detail % 2 == 1};
      break;
    case 11: acknowledge_one(detail); break;
    case 12: machine_->disconnect(reason_code::server_shutting_down, {}, now_); break;
    case 13: machine_->transport_down(now_); break;
    default: feed(script_->take(detail == 15 ? script_->next() : detail));
    }
  }

  // Random octets seldom make a CONNECT, and little happens without one.
  void say_connect(unsigned detail) {
    std::vector<octet> said{0x10, 0x0D, 0, 4, 'M', 'Q', 'T', 'T', 4, 2, 0, 0, 0, 1, 'c'};
    if ((detail & 1U) != 0) {
      said = {0x10, 0x16, 0, 4, 'M', 'Q', 'T', 'T', 5, 2, 0, 10, 8, 0x21, 0, 2, 0x27, 0, 0, 0, 64, 0, 1, 'c'};
      if ((detail & 2U) != 0)
        said = {0x10, 0x11, 0, 4, 'M', 'Q', 'T', 'T', 5, 2, 0, 0, 3, 0x22, 0, 2, 0, 1, 'c'};
    }
    said.resize(said.size() + read_slack);
    feed(said);
  }
  void accept(bool session_present) {
    if (!machine_->is_judging()) return;
    if (!session_present) host_.open.clear();
    machine_->accept({.session_present = session_present}, session_, now_);
  }
  void feed(const std::vector<octet>& input) {
    frames_.set_version(machine_->protocol());
    fuzzing::feed(frames_, *machine_, input, machine_->protocol(), role::server, now_);
  }
  void deliver_one(qos quality, unsigned detail) {
    const request_token token = next_++;
    kept_publish kept{};
    kept.packet.topic = topics[detail % std::size(topics)];
    kept.packet.payload = octets{payload}.first(detail / 4);
    kept.packet.quality = quality;
    host_.kept[token] = kept;
    if (machine_->deliver(token, kept, now_) == server_machine::sent::in_flight) host_.open.insert(token);
  }
  void answer_subscribe() {
    if (host_.asked.empty()) return;
    const auto [id, count] = host_.asked.front();
    host_.asked.erase(host_.asked.begin());
    const std::vector<reason_code> codes(count, reason_code::granted_qos_1);
    machine_->answer_subscribe(id, codes, {});
  }
  void answer_unsubscribe() {
    if (host_.left.empty()) return;
    const auto [id, count] = host_.left.front();
    host_.left.erase(host_.left.begin());
    const std::vector<reason_code> codes(count, reason_code::no_subscription_existed);
    machine_->answer_unsubscribe(id, codes, {});
  }
  void acknowledge_one(unsigned detail) {
    if (host_.deferred.empty()) return;
    const auto at = host_.deferred.begin() + static_cast<std::ptrdiff_t>(detail % host_.deferred.size());
    machine_->acknowledge(*at, detail > 12 ? reason_code::quota_exceeded : reason_code::success, now_);
    host_.deferred.erase(at);
  }
  void pass(std::chrono::seconds time) {
    now_ += time;
    machine_->on_deadline(now_);
    demand(machine_->next_deadline() > now_, "a deadline that was met is over");
  }

  void listen() {
    fuzzing::read_back(host_.box.take(), machine_->protocol(), role::client,
                       [&](const inbound_packet&) { demand(!was_closed_, "nothing is said after a close"); });
    was_closed_ = host_.is_closed;
    demand(session_.sent().publishes() == host_.open.size(), "what is open here is in flight there");
  }

  fuzzing::script* script_;
  server_machine_options options_{};
  host host_;
  exchange session_{role::server};
  std::optional<server_machine> machine_; // over session_
  framer frames_;
  time_point now_{};
  request_token next_ = 1;
  bool was_closed_ = false;
};

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzzing::script script{data, size};
  conversation{script}.run();
  return 0;
}
