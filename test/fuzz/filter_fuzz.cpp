// filter_fuzz: any text as a filter, another as a name: all validators agree, both matchers agree, and a
// template that was accepted gives a filter that is.
#include <troupe/protocol/compiled_filter.hpp>
#include <troupe/protocol/topic.hpp>
#include <troupe/protocol/topic_template.hpp>
#include <troupe/protocol/utf8.hpp>

#include <cstdlib>
#include <vector>

using namespace troupe::protocol;

namespace {

void require(bool holds) {
  if (!holds) std::abort();
}

void check_text(octets text) {
  std::vector<octet> padded(text.begin(), text.end());
  padded.resize(text.size() + read_slack, 0xFF);
  const octets copy = octets{padded}.first(text.size());
  for (const bool topic : {false, true}) {
    const text_fault plain = detail::judge_text_scalar(text, topic);
    require(detail::judge_text(text, topic) == plain);
    require((topic ? find_topic_fault(copy) : find_text_fault(copy)) == plain);
    require((topic ? find_topic_fault_exact(text) : find_text_fault_exact(text)) == plain);
    if (detail::has_ssse3()) require(detail::judge_text_ssse3(text, topic) == plain);
    if (detail::has_avx2()) require(detail::judge_text_avx2(text, topic) == plain);
  }
}

void check_match(std::string_view filter, std::string_view name) {
  const auto compiled = compiled_filter::make(filter);
  require(compiled.has_value() == check_topic_filter(filter).has_value());
  if (!compiled || !check_topic_name(name)) return;
  const std::string_view inner = split_shared(filter).filter;
  const bool hit = matches(inner, name);
  require(compiled->matches(name) == hit);
  std::vector<std::string_view> captures(compiled->wildcards());
  require(compiled->matches(name, captures) == hit);
  if (!hit) return;
  for (const std::string_view level : captures) require(level.find('/') == std::string_view::npos);
  const std::string_view tail = compiled->tail(name, captures);
  require(tail.empty() || name.ends_with(tail));
}

void check_template(std::string_view text, std::string_view name) {
  const auto made = topic_template::make(text);
  if (!made) return;
  require(check_topic_filter(made->filter()).has_value() || is_shared(text));
  std::vector<std::string_view> values(made->captures());
  if (check_topic_name(name) && made->match(name, values)) require(matches(made->filter(), name));
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 1) return 0;
  const octets all{data + 1, size - 1};
  const std::size_t cut = all.empty() ? 0 : data[0] % (all.size() + 1);
  check_text(all);
  check_text(all.first(cut));
  const std::string_view left = as_text(all.first(cut));
  const std::string_view right = as_text(all.subspan(cut));
  check_match(left, right);
  check_template(left, right);
  return 0;
}
