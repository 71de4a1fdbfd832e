// text_bench: W03 to W08, W11, W12: fields, texts, copies, integers, filters and templates.
#include "../../protocol/compiled_filter.hpp"
#include "../../protocol/topic.hpp"
#include "../../protocol/topic_template.hpp"
#include "../../protocol/utf8.hpp"
#include "../../protocol/wire_reader.hpp"
#include "../../protocol/wire_writer.hpp"
#include "codec_case.hpp"

#include <array>
#include <cstring>

#if defined(TROUPE_HAS_MOSQUITTO)
#include <mosquitto.h>
#endif

namespace troupe::bench {
namespace {

using namespace protocol;

// -- fields: W03, W04 -------------------------------------------------------------------------------

const std::string short_text = "abcdefghijklmnopqrstuvwx"; // 24 letters
const std::string long_text(94, 'l');
const std::vector<octet> kilobyte(1'024 + read_slack);

octet* write_fields(octet* to, bool twelve) noexcept {
  wire_writer out{to};
  // Nobody's binary has a size the compiler knows: it would write the copy out in place, and slowly.
  std::size_t size = 1'024;
  benchmark::DoNotOptimize(size);
  const octets binary = octets{kilobyte}.first(size);
  out.write_text(short_text);
  if (twelve) out.write_binary(binary);
  out.write_byte(1);
  out.write_byte(2);
  out.write_variable(5'647'382);
  out.write_text(short_text);
  out.write_variable(8'574'589);
  out.write_binary(binary);
  out.write_byte(2);
  out.write_byte(2);
  out.write_text(long_text);
  out.write_binary(binary);
  return out.position();
}

/// `keep` gets each text.
template <class Keep>
bool read_fields(octets bytes, bool twelve, Keep keep) {
  wire_reader from{bytes};
  std::string_view text;
  octets binary;
  octet byte = 0;
  std::uint32_t number = 0;
  const auto read_text = [&] {
    if (!from.read_text(text)) return false;
    keep(text);
    return true;
  };
  return read_text() && (!twelve || from.read_binary(binary)) && from.read_byte(byte) && from.read_byte(byte)
         && from.read_variable(number) && read_text() && from.read_variable(number)
         && from.read_binary(binary) && from.read_byte(byte) && from.read_byte(byte) && read_text()
         && from.read_binary(binary);
}

template <class Keep>
void read_rounds(benchmark::State& state, bool twelve, Keep keep) {
  std::vector<octet> room(8'192);
  const auto size = static_cast<std::size_t>(write_fields(room.data(), twelve) - room.data());
  measure(state, [&] {
    bool whole = read_fields({room.data(), size}, twelve, keep);
    benchmark::DoNotOptimize(whole);
  });
}

void register_fields() {
  using benchmark::RegisterBenchmark;
  const auto look = [](std::string_view text) { benchmark::DoNotOptimize(text.data()); };
  const auto copy = [](std::string_view text) {
    const std::string kept{text};
    benchmark::DoNotOptimize(kept.data());
  };
  RegisterBenchmark("W03/read_11_fields", [=](benchmark::State& s) { read_rounds(s, false, look); });
  RegisterBenchmark("W03/read_11_fields/owned", [=](benchmark::State& s) { read_rounds(s, false, copy); });
  RegisterBenchmark("W03/read_12_fields", [=](benchmark::State& s) { read_rounds(s, true, look); });
  RegisterBenchmark("W03/read_12_fields/owned", [=](benchmark::State& s) { read_rounds(s, true, copy); });
  RegisterBenchmark("W04/write_11_fields", [](benchmark::State& state) {
    std::vector<octet> room(8'192);
    measure(state, [&] { benchmark::DoNotOptimize(write_fields(room.data(), false)); });
  });
}

// -- text: W05 ----------------------------------------------------------------------------------------

/// 598 code points in 657 octets: 59 umlauts, the first at code point 81, 17 letters at the end.
std::string long_german() {
  std::string text(80, 'a');
  const char* const umlauts[] = {"\xC3\xB6", "\xC3\xA4", "\xC3\xBC"};
  std::size_t letters = 598 - 80 - 59 - 17;
  for (int i = 0; i < 59; ++i) {
    text += umlauts[i % 3];
    if (i == 58) break;
    const std::size_t gap = std::min<std::size_t>(letters - static_cast<std::size_t>(57 - i),
                                                  1 + static_cast<std::size_t>(i * 5) % 13);
    text.append(gap, 'e');
    letters -= gap;
  }
  text.append(letters + 17, 'z');
  return text;
}

void register_text() {
  using benchmark::RegisterBenchmark;
  RegisterBenchmark("W05/text_view", [](benchmark::State& state) {
    std::vector<octet> room(1'024);
    wire_writer out{room.data()};
    out.write_text(long_german());
    const octets bytes{room.data(), out.position()};
    measure(state, [&] {
      std::string_view text;
      wire_reader from{bytes};
      benchmark::DoNotOptimize(from.read_text(text));
    });
    state.counters["octets"] = static_cast<double>(bytes.size());
  });
  RegisterBenchmark("W05/text/owned", [](benchmark::State& state) {
    std::vector<octet> room(1'024);
    wire_writer out{room.data()};
    out.write_text(long_german());
    const octets bytes{room.data(), out.position()};
    measure(state, [&] {
      std::string_view text;
      wire_reader from{bytes};
      benchmark::DoNotOptimize(from.read_text(text));
      const std::string kept{text};
      benchmark::DoNotOptimize(kept.data());
    });
  });
  RegisterBenchmark("W05/text/ref_copy", [](benchmark::State& state) {
    const std::string text = long_german();
    measure(state, [&] {
      const std::string kept{text};
      benchmark::DoNotOptimize(kept.data());
    });
  });
  RegisterBenchmark("W05/ascii_1024", [](benchmark::State& state) {
    const std::string text(1'024 + read_slack, 'a');
    measure(state, [&] { benchmark::DoNotOptimize(find_text_fault(as_octets(text).first(1'024))); });
  });
}

// -- filters: W06, W11, W12 ---------------------------------------------------------------------------

std::string longest_topic() {
  return std::string(13, 'A') + std::string(65, 's') + std::string(85, 'h') + std::string(62, 'k')
         + std::string(15, 'A') + std::string(90, 'B') + std::string(81, 'C');
}

struct pair {
  std::string topic;
  std::string filter;
};

std::vector<pair> eight_pairs() {
  return {{"sport/tennis/player1", "sport/#"},
          {"sport/tennis/player1/ranking", "sport/#/ranking"},
          {"sport/tennis/player1/score/wimbledon", "sport/+/player1/#"},
          {"sport/tennis/player1", "sport/tennis/+"},
          {"/finance", "+/+"},
          {"/finance", "/+"},
          {"/finance", "+"},
          {longest_topic(), longest_topic()}};
}

const std::string sensor_topic = "plant/line1/sensors/temp";

void register_filters() {
  using benchmark::RegisterBenchmark;
  RegisterBenchmark("W06/round", [](benchmark::State& state) {
    const auto pairs = eight_pairs();
    std::vector<compiled_filter> filters; // the second is no filter: it becomes one that matches nothing
    for (const pair& each : pairs) {
      auto made = compiled_filter::make(each.filter);
      filters.push_back(made ? *std::move(made) : compiled_filter{});
    }
    measure(state, [&] {
      for (std::size_t i = 0; i < pairs.size(); ++i) {
        bool hit = filters[i].matches(pairs[i].topic);
        benchmark::DoNotOptimize(hit);
      }
    });
  });
  RegisterBenchmark("W06/round/uncompiled", [](benchmark::State& state) {
    const auto pairs = eight_pairs();
    measure(state, [&] {
      for (const pair& each : pairs) {
        bool hit = check_topic_filter(each.filter) && matches(each.filter, each.topic);
        benchmark::DoNotOptimize(hit);
      }
    });
  });
#if defined(TROUPE_HAS_MOSQUITTO)
  RegisterBenchmark("W06/round/ref_libmosquitto", [](benchmark::State& state) {
    const auto pairs = eight_pairs();
    measure(state, [&] {
      for (const pair& each : pairs) {
        bool hit = false;
        benchmark::DoNotOptimize(mosquitto_topic_matches_sub(each.filter.c_str(), each.topic.c_str(), &hit));
        benchmark::DoNotOptimize(hit);
      }
    });
  });
#endif
  RegisterBenchmark("W06/compile", [](benchmark::State& state) {
    measure(state, [&] {
      const auto made = compiled_filter::make("sport/+/p/#");
      benchmark::DoNotOptimize(made.has_value());
    });
  });
  RegisterBenchmark("W11/match", [](benchmark::State& state) {
    const auto filter = compiled_filter::make("plant/+/sensors/#");
    measure(state, [&] {
      bool hit = filter->matches(sensor_topic);
      benchmark::DoNotOptimize(hit);
    });
  });
}

void register_templates() {
  using benchmark::RegisterBenchmark;
  RegisterBenchmark("W12/template", [](benchmark::State& state) {
    const auto route = topic_template::make("plant/{line}/sensors/{kind}");
    std::array<std::string_view, 2> values;
    measure(state, [&] {
      bool hit = route->match(sensor_topic, values);
      benchmark::DoNotOptimize(hit);
      benchmark::DoNotOptimize(values);
    });
  });
  RegisterBenchmark("W12/template/owned", [](benchmark::State& state) {
    const auto route = topic_template::make("plant/{line}/sensors/{kind}");
    std::array<std::string_view, 2> values;
    measure(state, [&] {
      bool hit = route->match(sensor_topic, values);
      benchmark::DoNotOptimize(hit);
      const std::vector<std::string> kept{values.begin(), values.end()};
      benchmark::DoNotOptimize(kept.data());
    });
  });
}

// -- copies and integers: W07, W08 --------------------------------------------------------------------

void register_copies() {
  for (const std::size_t size : {63U, 127U, 255U, 511U, 1'023U, 2'047U, 5'095U}) {
    const auto run = [size](benchmark::State& state, auto copy) {
      std::vector<octet> from(8'192), to(8'192);
      measure(state, [&] {
        copy(to.data(), from.data(), size);
        benchmark::DoNotOptimize(to.data());
      });
    };
    const std::string name = "W07/copy/" + std::to_string(size);
    benchmark::RegisterBenchmark(name.c_str(), [run](benchmark::State& state) {
      run(state, [](octet* to, const octet* from, std::size_t n) { protocol::detail::copy(to, from, n); });
    });
    benchmark::RegisterBenchmark((name + "/ref_memcpy").c_str(), [run](benchmark::State& state) {
      run(state, [](octet* to, const octet* from, std::size_t n) { std::memcpy(to, from, n); });
    });
  }
}

/// All eight values; the compiler must not know them.
std::vector<std::uint32_t> edges() {
  return {0, 127, 128, 16'383, 16'384, 2'097'151, 2'097'152, 268'435'455};
}

/// What nearly all lengths are: one octet. 4,096 values, so that the compiler and the caches see a stream.
void register_short_integers() {
  constexpr std::size_t count = 4'096;
  benchmark::RegisterBenchmark("W08/one_octet/encode", [](benchmark::State& state) {
    std::vector<std::uint32_t> values(count);
    for (std::size_t n = 0; n < count; ++n) values[n] = static_cast<std::uint32_t>(n * 37 % 128);
    std::vector<octet> room(count + 8);
    measure(state, count, [&] {
      wire_writer out{room.data()};
      for (const std::uint32_t value : values) out.write_variable(value);
      benchmark::DoNotOptimize(out.position());
    });
  });
  benchmark::RegisterBenchmark("W08/one_octet/decode", [](benchmark::State& state) {
    std::vector<octet> room(count + read_slack);
    for (std::size_t n = 0; n < count; ++n) room[n] = static_cast<octet>(n * 37 % 128);
    measure(state, count, [&] {
      wire_reader from{octets{room}.first(count)};
      std::uint32_t value = 0;
      std::uint32_t sum = 0;
      while (from.read_variable(value)) sum += value;
      benchmark::DoNotOptimize(sum);
    });
  });
}

void register_integers() {
  benchmark::RegisterBenchmark("W08/variable_integer/encode", [](benchmark::State& state) {
    const auto values = edges();
    std::array<octet, 64> room{};
    measure(state, [&] {
      wire_writer out{room.data()};
      for (const std::uint32_t value : values) out.write_variable(value);
      benchmark::DoNotOptimize(out.position());
    });
  });
  benchmark::RegisterBenchmark("W08/variable_integer/round_trip", [](benchmark::State& state) {
    const auto values = edges();
    std::array<octet, 64> room{};
    measure(state, [&] {
      wire_writer out{room.data()};
      for (const std::uint32_t value : values) out.write_variable(value);
      wire_reader from{{room.data(), out.position()}};
      for (std::size_t i = 0; i < values.size(); ++i) {
        std::uint32_t value = 0;
        benchmark::DoNotOptimize(from.read_variable(value));
        benchmark::DoNotOptimize(value);
      }
    });
  });
}

const bool registered = [] {
  register_fields();
  register_text();
  register_filters();
  register_templates();
  register_copies();
  register_integers();
  register_short_integers();
  return true;
}();

} // namespace
} // namespace troupe::bench
