#include "figure_text.hpp"

#include <cmath>
#include <cstdio>

namespace troupe::bench {

std::string fixed_text(double value, int digits) {
  if (!std::isfinite(value)) return "-";
  char text[64];
  std::snprintf(text, sizeof text, "%.*f", digits, value);
  return text;
}

std::string exact_text(double value) {
  if (!std::isfinite(value)) return "";
  char text[64];
  std::snprintf(text, sizeof text, "%.17g", value);
  double back = 0;
  for (int digits = 1; digits < 17; ++digits) { // the shortest that reads back as the same
    char shorter[64];
    std::snprintf(shorter, sizeof shorter, "%.*g", digits, value);
    if (std::sscanf(shorter, "%lf", &back) == 1 && !(back < value) && !(back > value)) return shorter;
  }
  return text;
}

std::string time_text(double nanoseconds) {
  if (nanoseconds < 10'000) return fixed_text(nanoseconds, 0) + " ns";
  if (nanoseconds < 10'000'000) return fixed_text(nanoseconds / 1e3, 1) + " us";
  if (nanoseconds < 10e9) return fixed_text(nanoseconds / 1e6, 1) + " ms";
  return fixed_text(nanoseconds / 1e9, 2) + " s";
}

std::string rate_text(double per_second) {
  if (per_second >= 1e6) return fixed_text(per_second / 1e6, 2) + " M/s";
  if (per_second >= 1e4) return fixed_text(per_second / 1e3, 1) + " k/s";
  return fixed_text(per_second, 1) + " /s";
}

std::string page_style() {
  return "<style>\n:root{color-scheme:light dark}body{font:14px/1.5 sans-serif;margin:2em}"
         "h1{font-size:1.2em}h2{font-size:1.05em}table{border-collapse:collapse;margin:1.2em 0}\n"
         "th,td{padding:.2em .7em;text-align:right;border-bottom:1px solid #8884}"
         "th:first-child,td:first-child{text-align:left}\n"
         "pre,p{white-space:pre-wrap}svg{max-width:100%;height:auto;border:1px solid #8884}\n</style>\n";
}

} // namespace troupe::bench
