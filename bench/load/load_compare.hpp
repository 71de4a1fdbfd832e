// load_compare: a load against a base: what changed, how sure that is, and whether it is a loss.
//
// Lives here: verdict_word, compare_options, compared_figure, compare_loads(), misfits_of().
// Holds:   a figure that has slices (rates, p50 and p99 over time) is worse or better when the Mann-Whitney
//          test over the slices says so and the medians differ by more than the limit; noisy when the
//          medians do and the test does not. Counts of faults are worse when they rise from nothing.
//          Figures without slices are shown and not judged.
// Units:   changes are shares: 0.05 is 5 %.
#pragma once

#include "load_result.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace troupe::bench {

enum class verdict_word : std::uint8_t { same, better, worse, noisy, shown };

std::string_view name(verdict_word word) noexcept;

struct compare_options {
  double limit = 0.05; // a smaller change is none
  double alpha = 0.01; // of the test
};

struct compared_figure {
  std::string name{};
  std::string unit{}; // "1/s", "ns", "1"
  double base = 0;
  double fresh = 0;
  std::optional<double> change{}; // of base; nothing when base is zero
  std::optional<double> low{};    // 95 % interval of the change
  std::optional<double> high{};
  std::optional<double> p{};
  verdict_word verdict = verdict_word::same;
};

std::vector<compared_figure> compare_loads(const load_result& base, const load_result& fresh,
                                           const compare_options& how);

/// Repeats of a load against repeats of another, the test being over the repeats; one against one as above.
/// With so few that the test could not see any difference, the slices of all are taken together.
std::vector<compared_figure> compare_load_series(std::span<const load_result> base,
                                                 std::span<const load_result> fresh,
                                                 const compare_options& how);

/// What makes two loads incomparable: choices (the broker is none of them) and machines that differ.
std::vector<std::string> misfits_of(const load_result& base, const load_result& fresh);

/// Whether `values` differ by the rules above; `more_is_better` says which way is a loss.
compared_figure compare_values(std::string name, std::string unit, const std::vector<double>& base,
                               const std::vector<double>& fresh, bool more_is_better,
                               const compare_options& how);

} // namespace troupe::bench
