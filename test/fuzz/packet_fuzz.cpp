// packet_fuzz: any bytes, cut anywhere, through framer and decoders of both versions and both ends. What
// was decoded is encoded again and must then decode to the same.
#include <troupe/protocol/auth.hpp>
#include <troupe/protocol/connack.hpp>
#include <troupe/protocol/connect.hpp>
#include <troupe/protocol/disconnect.hpp>
#include <troupe/protocol/framer.hpp>
#include <troupe/protocol/packet.hpp>
#include <troupe/protocol/subscribe.hpp>
#include <troupe/protocol/unsubscribe.hpp>

#include <algorithm>
#include <cstdlib>
#include <span>
#include <vector>

using namespace troupe::protocol;

namespace {

/// Bytes with the readable slack that decoders may touch, on the heap so that one octet more is seen.
class padded {
public:
  explicit padded(octets text) : bytes_(text.size() + read_slack), size_{text.size()} {
    std::ranges::copy(text, bytes_.begin());
  }
  octets view() const noexcept { return {bytes_.data(), size_}; }

private:
  std::vector<octet> bytes_;
  std::size_t size_;
};

class memory_outbox final : public outbox {
public:
  void borrow(octets payload, keeper*) override {
    octet* to = reserve(payload.size());
    commit(std::ranges::copy(payload, to).out);
  }
  octets written() const noexcept {
    return {bytes_.data(), static_cast<std::size_t>(cursor_ - bytes_.data())};
  }

private:
  void grow(std::size_t count) override {
    auto used = bytes_.empty() ? 0 : static_cast<std::size_t>(cursor_ - bytes_.data());
    bytes_.resize(2 * (used + count));
    cursor_ = bytes_.data() + used;
    end_ = bytes_.data() + bytes_.size();
  }
  std::vector<octet> bytes_;
};

void require(bool holds) {
  if (!holds) std::abort();
}

/// The only frame in `bytes`, with its slack behind it.
template <class Judge>
void with_frame(octets bytes, version v, Judge judge) {
  padded input{bytes};
  framer cutter;
  cutter.set_version(v);
  cutter.feed(input.view());
  auto cut = cutter.next();
  require(cut.has_value() && cut->whole.size() == bytes.size());
  judge(*cut);
}

void check_publish_again(const publish& first, version v, role receiver) {
  if (first.topic_alias != 0) return; // the alias stands in the properties too, see encode_publish
  memory_outbox out;
  if (!encode_publish(out, first, v, nullptr, receiver == role::server ? role::client : role::server)) return;
  require(out.written().size() == encoded_size(first, v));
  with_frame(out.written(), v, [&](const frame& f) {
    auto second = decode_publish(f.first, f.body, v, receiver);
    require(second.has_value() && second->topic == first.topic && second->id == first.id);
    require(std::ranges::equal(second->payload, first.payload));
  });
}

/// What was decoded must be encodable, and that must decode and encode to the same octets again.
/// `decode` answers a result, `encode` appends what it holds.
template <class Decode, class Encode>
void check_again(const frame& f, version v, Decode decode, Encode encode) {
  const auto first = decode(f);
  if (!first) return;
  memory_outbox out;
  if (!encode(out, *first)) return;
  with_frame(out.written(), v, [&](const frame& again) {
    const auto second = decode(again);
    require(second.has_value());
    memory_outbox other;
    require(encode(other, *second));
    require(std::ranges::equal(out.written(), other.written()));
  });
}

void check_subscribe_again(const frame& f, version v) {
  check_again(
      f, v, [&](const frame& g) { return decode_subscribe(g.first, g.body, v); },
      [&](outbox& out, const subscribe& p) {
        const std::vector<subscription> lines(p.filters.begin(), p.filters.end());
        require(lines.size() == p.filters.size());
        const bool written = encode_subscribe(out, p.id, lines, p.properties, v).has_value();
        require(written);
        return written;
      });
}

void check_unsubscribe_again(const frame& f, version v) {
  check_again(
      f, v, [&](const frame& g) { return decode_unsubscribe(g.first, g.body, v); },
      [&](outbox& out, const unsubscribe& p) {
        const std::vector<std::string_view> filters(p.filters.begin(), p.filters.end());
        require(filters.size() == p.filters.size());
        const bool written = encode_unsubscribe(out, p.id, filters, p.properties, v).has_value();
        require(written);
        return written;
      });
}

void check_connect_again(const frame& f, version v) {
  check_again(
      f, v, [](const frame& g) { return decode_connect(g.first, g.body); },
      [](outbox& out, const connect& p) {
        // A nameless session of 3.1.1 is for the server to refuse, not for the decoder [MQTT-3.1.3-8].
        const bool nameless = p.protocol == version::v3_1_1 && p.client_id.empty() && !p.clean_start;
        const bool written = encode_connect(out, p).has_value();
        require(written != nameless);
        return written;
      });
}

void decode_rare(const frame& f, version v, role receiver) {
  const role sender = receiver == role::server ? role::client : role::server;
  const auto check = [&](auto decode, auto encode) {
    check_again(f, v, decode, [&](outbox& out, const auto& p) {
      const bool written = encode(out, p).has_value();
      require(written);
      return written;
    });
  };
  switch (f.type()) {
  case packet_type::connect: return check_connect_again(f, v);
  case packet_type::subscribe: return check_subscribe_again(f, v);
  case packet_type::unsubscribe: return check_unsubscribe_again(f, v);
  case packet_type::connack:
    return check([&](const frame& g) { return decode_connack(g.first, g.body, v); },
                 [&](outbox& out, const connack& p) { return encode_connack(out, p, v); });
  case packet_type::suback:
    return check([&](const frame& g) { return decode_suback(g.first, g.body, v); },
                 [&](outbox& out, const suback& p) { return encode_suback(out, p, v); });
  case packet_type::unsuback:
    return check([&](const frame& g) { return decode_unsuback(g.first, g.body, v); },
                 [&](outbox& out, const unsuback& p) { return encode_unsuback(out, p, v); });
  case packet_type::disconnect:
    return check([&](const frame& g) { return decode_disconnect(g.first, g.body, v, receiver); },
                 [&](outbox& out, const disconnect& p) { return encode_disconnect(out, p, v, sender); });
  case packet_type::auth:
    return check([&](const frame& g) { return decode_auth(g.first, g.body, v, receiver); },
                 [&](outbox& out, const auth& p) { return encode_auth(out, p, v, sender); });
  default: return;
  }
}

void check_ack_again(const ack& first, version v) {
  memory_outbox out;
  require(encode_ack(out, first, v).has_value());
  require(out.written().size() == encoded_size(first, v));
  with_frame(out.written(), v, [&](const frame& f) {
    const auto second = decode_ack(f.first, f.body, v);
    require(second.has_value() && second->type == first.type && second->id == first.id);
    require(second->reason == first.reason);
  });
}

void decode(const frame& f, version v, role receiver) {
  auto packet = decode_packet(f, v, receiver);
  if (!packet) return;
  if (auto* publish = std::get_if<inbound_publish>(&*packet))
    check_publish_again(publish->packet, v, receiver);
  else if (auto* answer = std::get_if<ack>(&*packet))
    check_ack_again(*answer, v);
  else if (auto* rare = std::get_if<frame>(&*packet))
    decode_rare(*rare, v, receiver);
}

void run(octets input, version v, role receiver, std::size_t chunk) {
  framer cutter{1U << 20U};
  cutter.set_version(v);
  while (!input.empty()) {
    padded part{input.first(std::min(chunk, input.size()))};
    input = input.subspan(part.view().size());
    cutter.feed(part.view());
    for (;;) {
      auto cut = cutter.next();
      if (!cut) {
        if (cut.error() == make_error_code(errc::need_more)) break;
        return;
      }
      decode(*cut, v, receiver);
    }
  }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  const version v = (data[0] & 1U) != 0 ? version::v5_0 : version::v3_1_1;
  const role receiver = (data[0] & 2U) != 0 ? role::server : role::client;
  const std::size_t chunk = std::size_t{1} + data[1];
  run({data + 2, size - 2}, v, receiver, chunk);
  return 0;
}
