// stream_bench: W63, W64 and framing: many packets in one buffer, encoded and decoded.
#include "codec_case.hpp"

#include <algorithm>
#include <cstring>
#include <random>

namespace troupe::bench {
namespace {

using namespace protocol;

/// Packets with topics `prefix`N and QoS N mod 3; their octets live as long as the set.
class packet_set {
public:
  packet_set(std::string_view prefix, std::size_t count, std::size_t payload, bool retain_even)
      : topics_(count), payload_(payload) {
    std::mt19937 chance{99};
    for (octet& byte : payload_) byte = static_cast<octet>(chance());
    for (std::size_t n = 0; n < count; ++n) {
      topics_[n] = std::string{prefix} + std::to_string(n);
      publish packet{.topic = topics_[n], .payload = payload_, .quality = static_cast<qos>(n % 3)};
      packet.id = n % 3 == 0 ? packet_id{0} : static_cast<packet_id>(n + 1);
      packet.retain = retain_even && n % 2 == 0;
      packets.push_back(packet);
    }
  }
  std::size_t octets_at_most() const noexcept { return packets.size() * (payload_.size() + 64) + 4'096; }
  std::vector<publish> packets;

private:
  std::vector<std::string> topics_;
  std::vector<octet> payload_;
};

/// Checked is what a user's packet gets; appended what a packet gets that is known to be right.
void encode(outbox& out, const publish& packet, bool checked) {
  if (checked)
    static_cast<void>(encode_publish(out, packet, version::v5_0));
  else
    append_publish(out, packet, version::v5_0);
}

void compare_encoders(benchmark::State& state, std::size_t payload, std::size_t count, bool checked,
                      bool batch) {
  const packet_set set{"topic/benchmark/", count, payload, true};
  memory_outbox out{set.octets_at_most()};
  measure(state, static_cast<double>(count), [&] {
    out.rewind();
    for (const publish& packet : set.packets) {
      if (!batch) out.rewind();
      encode(out, packet, checked);
    }
  });
}

enum class direction { encode, decode, both };

void throughput(benchmark::State& state, std::size_t payload, std::size_t count, direction which) {
  const packet_set set{"topic/test/", count, payload, false};
  memory_outbox out{set.octets_at_most()};
  framer cutter;
  cutter.set_version(version::v5_0);
  const auto write = [&] {
    out.rewind();
    for (const publish& packet : set.packets) encode(out, packet, true);
  };
  const auto read = [&] {
    decode_all(cutter, out.written(), version::v5_0,
               [](const publish& p) { benchmark::DoNotOptimize(p.topic.data()); });
  };
  write();
  measure(state, static_cast<double>(count), [&] {
    if (which != direction::decode) write();
    if (which != direction::encode) read();
  });
}

/// A stream that arrives in chunks; the copy stands for what a socket read does.
void arrive_in_chunks(benchmark::State& state, std::size_t chunk) {
  constexpr std::size_t count = 10'000;
  const publish packet{.topic = "plant/line1/sens/tem", .payload = as_octets("0123456789")};
  memory_outbox out{count * 64};
  for (std::size_t i = 0; i < count; ++i) append_publish(out, packet, version::v5_0);
  std::vector<octet> input(chunk + read_slack);
  framer cutter;
  cutter.set_version(version::v5_0);
  measure(state, count, [&] {
    const octets all = out.written();
    for (std::size_t at = 0; at < all.size(); at += chunk) {
      const std::size_t size = std::min(chunk, all.size() - at);
      std::memcpy(input.data(), all.data() + at, size);
      decode_all(cutter, octets{input}.first(size), version::v5_0, [](const publish&) {});
    }
  });
}

const bool registered = [] {
  using benchmark::RegisterBenchmark;
  const auto number = [](std::size_t n) { return '/' + std::to_string(n); };
  for (const std::size_t payload : {128U, 1'024U, 4'096U})
    for (const std::size_t count : {1U, 10U, 50U})
      for (const bool checked : {true, false})
        for (const bool batch : {true, false}) {
          const std::string name = std::string{"W63/"} + (checked ? "checked/" : "appended/")
                                   + (batch ? "batch" : "single") + number(payload) + number(count);
          RegisterBenchmark(name.c_str(), [=](benchmark::State& s) {
            compare_encoders(s, payload, count, checked, batch);
          });
        }
  const std::pair<const char*, direction> directions[] = {
      {"encode", direction::encode}, {"decode", direction::decode}, {"both", direction::both}};
  for (const auto& [word, which] : directions)
    for (const std::size_t payload : {128U, 512U, 1'024U, 4'096U})
      for (const std::size_t count : {10U, 100U, 1'000U})
        RegisterBenchmark((std::string{"W64/"} + word + number(payload) + number(count)).c_str(),
                          [=, which = which](benchmark::State& s) { throughput(s, payload, count, which); });
  for (const std::size_t chunk : {64U, 1'500U, 16'384U})
    RegisterBenchmark(("W02/chunks" + number(chunk) + "/v5").c_str(),
                      [=](benchmark::State& s) { arrive_in_chunks(s, chunk); });
  return true;
}();

} // namespace
} // namespace troupe::bench
