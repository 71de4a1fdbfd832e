// load_plot: pictures of a load, drawn by gnuplot as SVG.
//
// Lives here: load_plot, draw_plots().
// Holds:   throughput over time, percentiles over time, the curve of percentiles, connect phases; of
//          several results, each curve once per result. A picture without values is left out.
// Errors:  without gnuplot there are no pictures; the caller says so.
#pragma once

#include "load_result.hpp"

#include <span>
#include <string>
#include <vector>

namespace troupe::bench {

struct load_plot {
  std::string title{};
  std::string svg{}; // one element, to be put into a page
};

std::vector<load_plot> draw_plots(std::span<const load_result> results);

} // namespace troupe::bench
