// codec_case: what the codec's benchmark cases share.
//
// Lives here: memory_outbox over memory that is reserved before the measurement; stream, the octets of
//          some packets with their slack; measure(), the loop with its counters.
// Threads: one.
#pragma once

#include "../../protocol/framer.hpp"
#include "../../protocol/publish.hpp"
#include "allocation_counter.hpp"

#include <benchmark/benchmark.h>

#include <span>
#include <string>
#include <utility>
#include <vector>

namespace troupe::bench {

using protocol::octet;
using protocol::octets;
using protocol::publish;
using protocol::qos;
using protocol::version;

class memory_outbox final : public protocol::outbox {
public:
  explicit memory_outbox(std::size_t capacity = 1U << 16U) : memory_(capacity + protocol::read_slack) {
    rewind();
  }
  void rewind() noexcept {
    cursor_ = memory_.data();
    end_ = cursor_ + memory_.size() - protocol::read_slack;
  }
  octets written() const noexcept {
    return {memory_.data(), static_cast<std::size_t>(cursor_ - memory_.data())};
  }
  void borrow(octets payload, protocol::keeper*) override { benchmark::DoNotOptimize(payload.data()); }

protected:
  void grow(std::size_t count) override {
    const auto used = static_cast<std::size_t>(cursor_ - memory_.data());
    memory_.resize(2 * (used + count) + protocol::read_slack);
    cursor_ = memory_.data() + used;
    end_ = memory_.data() + memory_.size() - protocol::read_slack;
  }

private:
  std::vector<octet> memory_;
};

/// A payload owner that costs what a plain count costs.
class plain_keeper final : public protocol::keeper {
public:
  void retain(std::uint32_t count) noexcept override { count_ += count; }
  void release(std::uint32_t count) noexcept override { count_ -= count; }

private:
  std::uint32_t count_ = 1;
};

/// Runs `once` per iteration and reports time and heap use per operation.
template <class Once>
void measure(benchmark::State& state, double operations, Once once) {
  once(); // what is allocated once is not the case's
  {
    const allocation_counter counted{state, operations};
    for (auto _ : state) {
      once();
      benchmark::ClobberMemory();
    }
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(operations)
                          * static_cast<std::int64_t>(state.iterations()));
  state.counters["ns_per_op"] = benchmark::Counter(
      operations * 1e-9, benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}
template <class Once>
void measure(benchmark::State& state, Once once) {
  measure(state, 1, std::move(once));
}

inline const char* tag(version v) noexcept { return v == version::v5_0 ? "v5" : "v3"; }

/// An empty framer is fed all of `stream`; `on_packet` gets each decoded publish.
template <class OnPacket>
void decode_all(protocol::framer& cutter, octets stream, version v, OnPacket on_packet) {
  cutter.feed(stream);
  protocol::frame cut;
  while (cutter.next(cut) == protocol::errc{}) {
    const auto packet = protocol::decode_publish(cut.first, cut.body, v, protocol::role::client);
    benchmark::DoNotOptimize(packet.has_value());
    if (packet) on_packet(*packet);
  }
}

/// What a reader who keeps packets makes of one.
struct owned_publish {
  explicit owned_publish(const publish& packet)
      : topic{packet.topic},
        payload{packet.payload.begin(), packet.payload.end()},
        quality{packet.quality},
        retain{packet.retain} {}
  std::string topic;
  std::vector<octet> payload;
  qos quality;
  bool retain;
};

} // namespace troupe::bench
