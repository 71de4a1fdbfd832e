// fan_out_bench: T27, T28: one packet to 1,000 subscribers, each with a packet id of its own.
//
// T27 is writing alone: each subscriber has an outbox of its own, the payload is borrowed from 2 KB on and
// copied below. T28 is all that the protocol does: the look-up of the subscribers, the session of each
// (in flight until the acknowledgement that follows), and the writing.
#include "../../broker/onward.hpp"
#include "../../protocol/exchange.hpp"
#include "../../protocol/topic_index.hpp"
#include "codec_case.hpp"

#include <memory>

namespace troupe::bench {
namespace {

using namespace protocol;

constexpr std::size_t subscribers = 1'000;
constexpr std::string_view topic = "plant/line1/sens/tem";

publish packet_of(std::size_t payload) {
  static const std::string text(16'384, 'p');
  return {.topic = topic, .payload = as_octets(text).first(payload), .id = 1, .quality = qos::at_least_once};
}

/// The outboxes of all; each has room for one packet.
class outboxes {
public:
  explicit outboxes(std::size_t room) {
    for (std::size_t n = 0; n < subscribers; ++n) each_.push_back(std::make_unique<memory_outbox>(room));
  }
  memory_outbox& operator[](std::size_t n) noexcept { return *each_[n]; }

private:
  std::vector<std::unique_ptr<memory_outbox>> each_;
};

void write_to_all(benchmark::State& state, std::size_t payload) {
  outboxes out{payload + 128};
  plain_keeper owner;
  publish packet = packet_of(payload);
  measure(state, subscribers, [&] {
    for (std::size_t n = 0; n < subscribers; ++n) {
      out[n].rewind();
      packet.id = static_cast<packet_id>(n + 1);
      append_publish(out[n], packet, version::v5_0, &owner);
    }
  });
}

/// Each subscriber gets the identifier of its own subscription, too [MQTT-3.3.4-3].
void write_with_identifiers(benchmark::State& state, std::size_t payload) {
  outboxes out{payload + 128};
  plain_keeper owner;
  std::vector<octet> properties;
  properties.reserve(64);
  publish packet = packet_of(payload);
  measure(state, subscribers, [&] {
    for (std::size_t n = 0; n < subscribers; ++n) {
      out[n].rewind();
      const auto identifier = static_cast<std::uint32_t>(n + 1);
      packet.id = static_cast<packet_id>(n + 1);
      packet.properties = brokerage::rewritten({}, {.identifiers = {&identifier, 1}}, properties);
      append_publish(out[n], packet, version::v5_0, &owner);
    }
  });
}

/// Look-up, session and writing; the acknowledgement of each is part of it.
void through_sessions(benchmark::State& state, std::size_t payload) {
  outboxes out{payload + 128};
  plain_keeper owner;
  std::vector<std::unique_ptr<exchange>> sessions;
  topic_index<std::uint32_t> index{1};
  for (std::uint32_t n = 0; n < subscribers; ++n) {
    sessions.push_back(std::make_unique<exchange>(role::server));
    sessions.back()->open({});
    static_cast<void>(index.insert(topic, n));
  }
  kept_publish kept{};
  kept.packet = packet_of(payload);
  kept.owner = &owner;
  kept.checked = true;
  measure(state, subscribers, [&] {
    index.match(topic, [&](const auto& entry) {
      out[entry.who].rewind();
      static_cast<void>(sessions[entry.who]->send(out[entry.who], entry.who, kept));
    });
    for (const auto& session : sessions) {
      const packet_id id = session->sent().first_publish();
      benchmark::DoNotOptimize(session->on_puback({.type = packet_type::puback, .id = id}));
    }
  });
}

const bool registered = [] {
  for (const std::size_t payload : {10U, 128U, 1'024U, 2'048U, 10'240U}) {
    const std::string end = std::to_string(payload);
    const auto add = [&](const char* name, auto run) {
      benchmark::RegisterBenchmark((name + end).c_str(), [=](benchmark::State& s) { run(s, payload); });
    };
    add("T27/fan_out/own_id/", write_to_all);
    add("T27/fan_out/own_identifier/", write_with_identifiers);
    add("T28/fan_out/sessions/", through_sessions);
  }
  return true;
}();

} // namespace
} // namespace troupe::bench
