// framer_fuzz: one stream cut in two ways gives the same frames and the same end, whether its octets are
// fed or read straight into the place the framer wants them in.
#include <troupe/protocol/framer.hpp>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <utility>
#include <vector>

using namespace troupe::protocol;

namespace {

struct outcome {
  std::vector<std::vector<octet>> frames;
  std::error_code end;
  bool operator==(const outcome&) const = default;
};

/// A frame in the framer's own buffer, kept while the framer goes on.
struct kept_frame {
  keeper_ref keeper;
  octets whole;
  std::size_t index; // among the frames found
};

void require(bool holds) {
  if (!holds) std::abort();
}

/// Takes what is whole; false when the stream is wrong.
bool collect(framer& cutter, outcome& found, std::vector<kept_frame>& kept) {
  for (;;) {
    const auto cut = cutter.next();
    if (!cut) {
      found.end = cut.error();
      return cut.error() == errc::need_more;
    }
    require(cut->whole.size() >= 2 && cut->body.size() < cut->whole.size());
    require(cut->whole.data() + cut->whole.size() == cut->body.data() + cut->body.size());
    found.frames.emplace_back(cut->whole.begin(), cut->whole.end());
    if (keeper_ref keeper = cutter.retained(*cut); keeper && found.frames.size() % 3 == 0)
      kept.push_back({std::move(keeper), cut->whole, found.frames.size() - 1});
    require(std::ranges::equal(cut->whole, found.frames.back()));
  }
}

outcome cut_pieces(octets stream, version v, std::uint32_t limit, const std::vector<std::size_t>& sizes,
                   std::vector<kept_frame>& kept) {
  framer cutter{limit};
  cutter.set_version(v);
  outcome found;
  for (std::size_t turn = 0; !stream.empty(); ++turn) {
    const std::size_t count = std::min(sizes[turn % sizes.size()] + 1, stream.size());
    if (const auto room = cutter.wanted(); !room.empty()) {
      const std::size_t direct = std::min(count, room.size());
      std::memcpy(room.data(), stream.data(), direct);
      cutter.filled(direct);
      stream = stream.subspan(direct);
      if (!collect(cutter, found, kept)) return found;
      continue;
    }
    std::vector<octet> part(count + read_slack); // dies at the end of the turn
    std::memcpy(part.data(), stream.data(), count);
    cutter.feed(octets{part}.first(count));
    stream = stream.subspan(count);
    if (!collect(cutter, found, kept)) return found;
  }
  return found;
}

outcome cut_stream(octets stream, version v, std::uint32_t limit, const std::vector<std::size_t>& sizes) {
  std::vector<kept_frame> kept; // outlives the framer
  outcome found = cut_pieces(stream, v, limit, sizes, kept);
  for (const kept_frame& each : kept) require(std::ranges::equal(each.whole, found.frames[each.index]));
  return found;
}

/// Makes small inputs reach large frames: 0xF0 0xFE n repeats the next octet 512 * n times.
std::vector<octet> widened(octets input) {
  std::vector<octet> wide;
  for (std::size_t i = 0; i < input.size(); ++i) {
    const bool many = i + 3 < input.size() && input[i] == 0xF0 && input[i + 1] == 0xFE;
    if (!many) {
      wide.push_back(input[i]);
      continue;
    }
    wide.insert(wide.end(), std::size_t{512} * input[i + 2], input[i + 3]);
    i += 3;
  }
  return wide;
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 6) return 0;
  const version v = (data[0] & 1U) != 0 ? version::v5_0 : version::v3_1_1;
  const std::uint32_t limit = (data[0] & 2U) != 0 ? max_packet_size : 300U;
  const std::vector<std::size_t> one{data[1], data[2]};
  const std::vector<std::size_t> other{data[3] * 37U, data[4], data[5] * 4'099U};
  const auto stream = widened({data + 6, size - 6});
  require(cut_stream(stream, v, limit, one) == cut_stream(stream, v, limit, other));
  return 0;
}
