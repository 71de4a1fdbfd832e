// arrival_bench: W22, W23, W33: packets on their way through the buffers of a connection, without one: a
// stream in memory stands where the socket would be, and every octet passes it by a copy, as a system call
// would copy it.
#include "codec_case.hpp"

#include "../../runtime/slab_outbox.hpp"
#include "../../runtime/slab_pool.hpp"

#include <algorithm>
#include <array>
#include <cstring>

namespace troupe::bench {
namespace {

using namespace protocol;

// -- out: W22 ---------------------------------------------------------------------------------------

/// What a gathered write does, into memory that was rewound.
class memory_stream {
public:
  void rewind() noexcept { written_ = 0; }
  std::size_t write(std::span<const iovec> from) noexcept {
    const std::size_t before = written_;
    for (const iovec& each : from) {
      std::memcpy(memory_.data() + written_, each.iov_base, each.iov_len);
      written_ += each.iov_len;
    }
    return written_ - before;
  }
  std::size_t written() const noexcept { return written_; }

private:
  std::array<octet, 4'096> memory_{};
  std::size_t written_ = 0;
};

void flush(runtime::slab_outbox& from, memory_stream& to) {
  std::array<iovec, 8> parts;
  while (!from.empty()) from.consume(to.write({parts.data(), from.gather(parts, 65'536)}));
}

/// A new outbox, one packet, flushed: `append` puts it there.
template <class Append>
void send_small(benchmark::State& state, std::size_t octets_expected, Append append) {
  runtime::slab_pool pool;
  memory_stream stream;
  measure(state, [&] {
    stream.rewind();
    runtime::slab_outbox out{pool};
    append(out);
    flush(out, stream);
    benchmark::DoNotOptimize(stream);
  });
  if (stream.written() != octets_expected) state.SkipWithError("another number of octets was written");
}

void register_small() {
  const auto encode = [](version v) {
    return [v](runtime::slab_outbox& out) {
      const publish packet{.topic = "topic", .payload = as_octets("0123456789")};
      static_cast<void>(encode_publish(out, packet, v));
    };
  };
  benchmark::RegisterBenchmark("W22/send_small/v5",
                               [=](benchmark::State& s) { send_small(s, 20, encode(version::v5_0)); });
  benchmark::RegisterBenchmark("W22/send_small/v3",
                               [=](benchmark::State& s) { send_small(s, 19, encode(version::v3_1_1)); });
  benchmark::RegisterBenchmark("W22/send_encoded/copied", [](benchmark::State& s) {
    send_small(s, 10, [](runtime::slab_outbox& out) {
      octet* const to = out.reserve(10);
      std::memcpy(to, "0123456789", 10);
      out.commit(to + 10);
    });
  });
  benchmark::RegisterBenchmark("W22/send_encoded/borrowed", [](benchmark::State& s) {
    plain_keeper owner;
    send_small(s, 10, [&](runtime::slab_outbox& out) { out.borrow(as_octets("0123456789"), &owner); });
  });
}

// -- in: W23, W33 -------------------------------------------------------------------------------------

/// The same packet again and again, in segments as reads bring them.
class packet_stream {
public:
  packet_stream(octets packet, std::size_t count, std::size_t segment)
      : packet_{packet}, all_{packet.size() * count}, segment_{segment} {}
  void rewind() noexcept { at_ = 0; }
  bool is_over() const noexcept { return at_ == all_; }
  std::size_t read(std::span<octet> into) noexcept {
    const std::size_t count = std::min({into.size(), segment_, all_ - at_});
    for (std::size_t done = 0; done != count;) {
      const std::size_t begin = (at_ + done) % packet_.size();
      const std::size_t part = std::min(count - done, packet_.size() - begin);
      std::memcpy(into.data() + done, packet_.data() + begin, part);
      done += part;
    }
    at_ += count;
    return count;
  }

private:
  octets packet_;
  std::size_t all_;
  std::size_t segment_;
  std::size_t at_ = 0;
};

/// The read loop of a stream transport and the connection behind it.
template <class OnPacket>
void read_all(packet_stream& from, runtime::slab_pool& pool, version v, OnPacket on_packet) {
  framer cutter{pool, max_packet_size};
  cutter.set_version(v);
  while (!from.is_over()) {
    slice kept; // until its frames were looked at
    if (const std::span<octet> direct = cutter.wanted(); !direct.empty()) {
      cutter.filled(from.read(direct));
    } else {
      kept = pool.finish_read(from.read(pool.reading_room()));
      cutter.feed(kept.bytes());
    }
    frame cut;
    while (cutter.next(cut) == errc{}) {
      const auto packet = decode_publish(cut.first, cut.body, v, role::client);
      if (packet) on_packet(*packet);
    }
  }
}

void receive(benchmark::State& state, const publish& packet, version v, std::size_t count,
             std::size_t segment, bool owned) {
  memory_outbox out{packet.payload.size() + 256};
  static_cast<void>(encode_publish(out, packet, v));
  packet_stream stream{out.written(), count, segment};
  runtime::slab_pool pool;
  std::size_t seen = 0;
  measure(state, static_cast<double>(count), [&] {
    stream.rewind();
    seen = 0;
    read_all(stream, pool, v, [&](const publish& p) {
      ++seen;
      benchmark::DoNotOptimize(p.payload.data());
      if (!owned) return;
      const owned_publish kept{p};
      benchmark::DoNotOptimize(kept.payload.data());
    });
  });
  state.counters["octets"] = static_cast<double>(out.written().size());
  if (seen != count) state.SkipWithError("another number of packets was decoded");
}

void register_arrivals() {
  static const std::string zeros(65'536, '\0');
  constexpr std::size_t small_reads = 4'096; // of the published reader
  constexpr std::size_t our_reads = runtime::reading_slab;
  for (const version v : {version::v5_0, version::v3_1_1})
    for (const bool owned : {true, false}) {
      const std::string end = std::string{"/"} + tag(v) + (owned ? "/owned" : "");
      benchmark::RegisterBenchmark(("W23/decode_large" + end).c_str(), [=](benchmark::State& s) {
        receive(s, {.topic = "topic", .payload = as_octets(zeros).first(10'240)}, v, 1, small_reads, owned);
      });
      for (const std::size_t size : {8'192U, 65'536U})
        benchmark::RegisterBenchmark(
            ("W33/decode/" + std::to_string(size) + end).c_str(), [=](benchmark::State& s) {
              receive(s, {.topic = "A", .payload = as_octets(zeros).first(size)}, v, 1'000, our_reads, owned);
            });
    }
}

const bool registered = [] {
  register_small();
  register_arrivals();
  return true;
}();

} // namespace
} // namespace troupe::bench
