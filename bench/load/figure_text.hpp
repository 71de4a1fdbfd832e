// figure_text: figures as people read them, and the looks of a page of them.
//
// Lives here: fixed_text(), exact_text(), time_text(), rate_text(), page_style().
// Units:   times come in nanoseconds, rates per second; texts carry their unit. What is not finite is "-".
#pragma once

#include <string>

namespace troupe::bench {

std::string fixed_text(double value, int digits);
/// Every digit that matters; for programs.
std::string exact_text(double value);
std::string time_text(double nanoseconds);
std::string rate_text(double per_second);
/// A style element that reads well in print, in light and in dark.
std::string page_style();

} // namespace troupe::bench
