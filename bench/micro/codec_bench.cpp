// codec_bench: W01, W02, W09, W10, W13, W60, W61, W62: one packet at a time, and packets of mixed shapes.
#include "../../protocol/auth.hpp"
#include "../../protocol/connack.hpp"
#include "../../protocol/connect.hpp"
#include "../../protocol/disconnect.hpp"
#include "../../protocol/packet.hpp"
#include "../../protocol/subscribe.hpp"
#include "../../protocol/unsubscribe.hpp"
#include "codec_case.hpp"

#include <array>
#include <functional>
#include <random>

namespace troupe::bench {
namespace {

using namespace protocol;

constexpr auto v3 = version::v3_1_1;
constexpr auto v5 = version::v5_0;

// -- one publish ----------------------------------------------------------------------------------

void encode_one(benchmark::State& state, const publish& packet, version v) {
  memory_outbox out;
  measure(state, [&] {
    out.rewind();
    benchmark::DoNotOptimize(encode_publish(out, packet, v).has_value());
  });
  state.counters["octets"] = static_cast<double>(out.written().size());
}

void decode_one(benchmark::State& state, const publish& packet, version v) {
  memory_outbox out;
  static_cast<void>(encode_publish(out, packet, v));
  framer cutter;
  cutter.set_version(v);
  measure(state, [&] {
    decode_all(cutter, out.written(), v, [](const publish& p) { benchmark::DoNotOptimize(p.topic.data()); });
  });
}

void decode_one_owned(benchmark::State& state, const publish& packet, version v) {
  memory_outbox out;
  static_cast<void>(encode_publish(out, packet, v));
  framer cutter;
  cutter.set_version(v);
  measure(state, [&] {
    decode_all(cutter, out.written(), v, [](const publish& p) {
      const owned_publish kept{p};
      benchmark::DoNotOptimize(kept.topic.data());
    });
  });
}

property_block five_properties() {
  property_block block;
  static_cast<void>(block.set(property::payload_format_indicator, 1U));
  static_cast<void>(block.set(property::message_expiry_interval, 60U));
  static_cast<void>(block.set(property::content_type, "application/json"));
  static_cast<void>(block.set(property::response_topic, "reply/to/0001"));
  static_cast<void>(block.add_user_property("trace-id", "0123456789"));
  return block;
}

const std::string zeros(16'384, '\0');
const std::string json = R"({"t":21.5,"u":"C","n":12})"; // 25 octets
const property_block five = five_properties();

const publish smallest{.topic = "A"};
const publish sensor{
    .topic = "plant/line1/sensors/temp", .payload = as_octets(json), .id = 42, .quality = qos::at_least_once};
const std::string deep_topic = "plant/building3/line7/station12/sensors/temperature/celsius";

publish of_size(std::size_t payload) {
  return {
      .topic = "topic1", .payload = as_octets(zeros).first(payload), .id = 1, .quality = qos::at_least_once};
}

// -- many shapes: the branch predictor cannot learn them --------------------------------------------

class mixed_shapes {
public:
  mixed_shapes() : topics_(count), payloads_(count), blocks_(count) {
    std::mt19937 chance{4242};
    for (std::size_t i = 0; i < count; ++i) {
      topics_[i].assign(5 + chance() % 56, 't');
      payloads_[i].assign(chance() % 301, 'p');
      if (chance() % 2 == 0) fill(blocks_[i], 1 + chance() % 5, chance);
      publish packet{.topic = topics_[i],
                     .payload = as_octets(payloads_[i]),
                     .properties = blocks_[i].view(),
                     .quality = static_cast<qos>(chance() % 3)};
      packet.id = packet.quality == qos::at_most_once ? packet_id{0} : packet_id{7};
      packets.push_back(packet);
    }
  }
  std::vector<publish> packets;
  static constexpr std::size_t count = 10'000;

private:
  static void fill(property_block& block, std::size_t properties, std::mt19937& chance) {
    if (properties > 0) static_cast<void>(block.set(property::payload_format_indicator, 1U));
    if (properties > 1) static_cast<void>(block.set(property::message_expiry_interval, 60U));
    if (properties > 2) static_cast<void>(block.set(property::content_type, std::string(chance() % 20, 'c')));
    if (properties > 3)
      static_cast<void>(block.set(property::correlation_data, std::string(chance() % 16, 'd')));
    if (properties > 4)
      static_cast<void>(
          block.add_user_property(std::string(chance() % 10, 'k'), std::string(chance() % 20, 'v')));
  }
  std::vector<std::string> topics_;
  std::vector<std::string> payloads_;
  std::vector<property_block> blocks_;
};

template <class Encode>
void encode_mixed(benchmark::State& state, Encode encode) {
  const mixed_shapes shapes;
  memory_outbox out{8U << 20U};
  measure(state, mixed_shapes::count, [&] {
    out.rewind();
    for (const publish& packet : shapes.packets) encode(out, packet);
  });
}

void decode_mixed(benchmark::State& state) {
  const mixed_shapes shapes;
  memory_outbox out{8U << 20U};
  for (const publish& packet : shapes.packets) static_cast<void>(encode_publish(out, packet, v5));
  framer cutter;
  cutter.set_version(v5);
  measure(state, mixed_shapes::count, [&] { decode_all(cutter, out.written(), v5, [](const publish&) {}); });
}

// -- CONNECT ----------------------------------------------------------------------------------------

connect login(version v) {
  connect packet{.protocol = v, .keep_alive = 2, .client_id = "client-id-000016"};
  packet.user_name = "user-name-0014";
  packet.password = as_octets("password-of-18-oct");
  return packet;
}

void encode_login(benchmark::State& state, version v) {
  const connect packet = login(v);
  memory_outbox out;
  measure(state, [&] {
    out.rewind();
    benchmark::DoNotOptimize(encoded_size(packet));
    benchmark::DoNotOptimize(encode_connect(out, packet).has_value());
  });
}

template <class OnPacket>
void decode_login(benchmark::State& state, version v, OnPacket on_packet) {
  memory_outbox out;
  static_cast<void>(encode_connect(out, login(v)));
  framer cutter;
  measure(state, [&] {
    cutter.feed(out.written());
    frame cut;
    static_cast<void>(cutter.next(cut));
    const auto packet = decode_connect(cut.first, cut.body);
    benchmark::DoNotOptimize(packet.has_value());
    on_packet(*packet);
  });
}

// -- sizes --------------------------------------------------------------------------------------------

/// One of each kind but AUTH and PINGRESP's twin, as the workload has it: fourteen.
void register_sizes() {
  static const std::array codes{reason_code::granted_qos_1};
  static const std::array lines{subscription{.filter = "topic1", .quality = qos::at_least_once}};
  static const std::array<std::string_view, 1> filters{"topic1"};
  const std::pair<const char*, std::function<std::size_t()>> kinds[] = {
      {"connect", [] { return encoded_size(login(v5)); }},
      {"connack", [] { return encoded_size(connack{}, v5); }},
      {"publish", [] { return encoded_size(of_size(1'024), v5); }},
      {"puback", [] { return encoded_size(ack{.type = packet_type::puback, .id = 1}, v5); }},
      {"pubrec", [] { return encoded_size(ack{.type = packet_type::pubrec, .id = 1}, v5); }},
      {"pubrel", [] { return encoded_size(ack{.type = packet_type::pubrel, .id = 1}, v5); }},
      {"pubcomp", [] { return encoded_size(ack{.type = packet_type::pubcomp, .id = 1}, v5); }},
      {"subscribe", [] { return encoded_subscribe_size(lines, {}, v5); }},
      {"suback", [] { return encoded_size(suback{.id = 1, .codes = codes}, v5); }},
      {"unsubscribe", [] { return encoded_unsubscribe_size(filters, {}, v5); }},
      {"unsuback", [] { return encoded_size(unsuback{.id = 1, .codes = codes}, v5); }},
      {"pingreq", [] { return ping_size; }},
      {"disconnect", [] { return encoded_size(disconnect{}, v5); }},
      {"auth", [] { return encoded_size(auth{}); }},
  };
  for (const auto& [kind, size] : kinds)
    benchmark::RegisterBenchmark((std::string{"W62/size/"} + kind).c_str(),
                                 [size = size](benchmark::State& state) {
                                   measure(state, [&] { benchmark::DoNotOptimize(size()); });
                                 });
}

void register_publish(const std::string& id, const char* encode, const char* decode, const publish& packet,
                      std::initializer_list<version> versions, bool owned) {
  for (const version v : versions) {
    const auto name = [&](const char* what, const char* end = "") { return id + what + '/' + tag(v) + end; };
    if (encode != nullptr)
      benchmark::RegisterBenchmark(name(encode).c_str(),
                                   [=](benchmark::State& s) { encode_one(s, packet, v); });
    if (decode != nullptr)
      benchmark::RegisterBenchmark(name(decode).c_str(),
                                   [=](benchmark::State& s) { decode_one(s, packet, v); });
    if (decode != nullptr && owned)
      benchmark::RegisterBenchmark(name(decode, "/owned").c_str(),
                                   [=](benchmark::State& s) { decode_one_owned(s, packet, v); });
  }
}

void register_mixed() {
  benchmark::RegisterBenchmark("W01/encode_mixed/v5", [](benchmark::State& state) {
    encode_mixed(state, [](outbox& out, const publish& packet) {
      static_cast<void>(encode_publish(out, packet, v5));
    });
  });
  benchmark::RegisterBenchmark("W01/append_mixed/v5", [](benchmark::State& state) {
    encode_mixed(state, [](outbox& out, const publish& packet) { append_publish(out, packet, v5); });
  });
  benchmark::RegisterBenchmark("W02/decode_mixed/v5", decode_mixed);
}

void register_connect() {
  for (const version v : {v3, v5}) {
    const std::string end = tag(v);
    benchmark::RegisterBenchmark(("W60/encode_connect/" + end).c_str(),
                                 [v](benchmark::State& state) { encode_login(state, v); });
    benchmark::RegisterBenchmark(("W60/decode_connect/" + end).c_str(), [v](benchmark::State& state) {
      decode_login(state, v,
                   [](const connect& packet) { benchmark::DoNotOptimize(packet.client_id.data()); });
    });
    benchmark::RegisterBenchmark(
        ("W60/decode_connect/" + end + "/owned").c_str(), [v](benchmark::State& state) {
          decode_login(state, v, [](const connect& packet) {
            const std::string kept[] = {std::string{packet.client_id}, std::string{*packet.user_name},
                                        std::string{as_text(*packet.password)}};
            benchmark::DoNotOptimize(kept[0].data());
          });
        });
  }
}

const bool registered = [] {
  register_publish("W01", "/encode_publish", nullptr, smallest, {v3, v5}, false);
  register_publish("W02", nullptr, "/decode_publish", smallest, {v3, v5}, true);
  publish rich{.topic = "plant/line1/sens/tem", .payload = as_octets(zeros).first(10)};
  register_publish("W01", "/encode_20_10", nullptr, rich, {v5}, false);
  register_publish("W02", nullptr, "/decode_20_10", rich, {v5}, false);
  rich.properties = five.view();
  register_publish("W01", "/encode_5_properties", nullptr, rich, {v5}, false);
  register_publish("W02", nullptr, "/decode_5_properties", rich, {v5}, false);
  const publish large{.topic = "plant/line1/sens/tem", .payload = as_octets(zeros).first(10'240)};
  register_publish("W01", "/encode_10240", nullptr, large, {v5}, false);
  register_publish("W02", nullptr, "/decode_10240", large, {v5}, true);
  register_mixed();
  register_publish("W09", "/encode_publish", nullptr, sensor, {v5}, false);
  register_publish("W10", nullptr, "/frame_and_decode", sensor, {v5}, true);
  const octets eight = as_octets(zeros).first(8);
  register_publish("W13", "/topic", nullptr, {.topic = deep_topic, .payload = eight}, {v5}, false);
  register_publish("W13", "/alias", nullptr, {.payload = eight, .topic_alias = 1}, {v5}, false);
  register_connect();
  for (const std::size_t size : {1'024U, 2'048U, 4'096U, 8'192U})
    register_publish("W61/" + std::to_string(size), "/encode_publish", "/decode_publish", of_size(size),
                     {v3, v5}, true);
  register_sizes();
  benchmark::RegisterBenchmark("W61/8192/encode_borrowed/v5", [](benchmark::State& state) {
    memory_outbox out;
    plain_keeper owner;
    const publish packet = of_size(8'192);
    measure(state, [&] {
      out.rewind();
      benchmark::DoNotOptimize(encode_publish(out, packet, v5, &owner).has_value());
    });
  });
  return true;
}();

} // namespace
} // namespace troupe::bench
