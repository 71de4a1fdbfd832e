#include "case_compare.hpp"

#include "statistics.hpp"

#include <nlohmann/json.hpp>

#include <cmath>

namespace troupe::bench {
namespace {

using json = nlohmann::json;

double number_in(const json& from, const char* key) {
  const auto place = from.find(key);
  return place != from.end() && place->is_number() ? place->get<double>() : 0;
}

summary summary_of(const json& row) {
  summary result;
  result.count = static_cast<std::size_t>(number_in(row, "iterations") * number_in(row, "launches"));
  result.mean = number_in(row, "ns_per_message");
  result.deviation = number_in(row, "stddev");
  return result;
}

compared_figure compare_rows(const std::string& id, const json& base, const json& fresh,
                             const compare_options& how) {
  const summary a = summary_of(base);
  const summary b = summary_of(fresh);
  compared_figure figure{.name = id, .unit = "ns", .base = a.mean, .fresh = b.mean};
  if (a.mean <= 0 || b.mean <= 0) {
    figure.verdict = a.mean > 0 ? verdict_word::worse : verdict_word::shown;
    return figure;
  }
  figure.change = b.mean / a.mean - 1;
  if (std::abs(*figure.change) <= how.limit) return figure;
  if (!differs(a, b, 0.99))
    figure.verdict = verdict_word::noisy;
  else
    figure.verdict = *figure.change < 0 ? verdict_word::better : verdict_word::worse;
  return figure;
}

} // namespace

std::optional<std::vector<compared_figure>> compare_cases(const std::string& base, const std::string& fresh,
                                                          const compare_options& how) {
  const json a = json::parse(base, nullptr, false);
  const json b = json::parse(fresh, nullptr, false);
  if (!a.is_object() || !b.is_object() || !a.contains("cases") || !b.contains("cases")) return std::nullopt;
  std::vector<compared_figure> figures;
  for (const json& old : a["cases"]) {
    if (!old.is_object()) continue;
    const std::string id = old.value("id", std::string{});
    for (const json& other : b["cases"])
      if (other.is_object() && other.value("id", std::string{}) == id)
        figures.push_back(compare_rows(id, old, other, how));
  }
  return figures;
}

} // namespace troupe::bench
