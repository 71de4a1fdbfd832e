// result_table: rows of words, set as text, markdown or HTML.
//
// Lives here: result_table.
// Holds:   the first column is set to the left, the others to the right. Nothing is cut off.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

namespace troupe::bench {

class result_table {
public:
  explicit result_table(std::vector<std::string> head) : head_{std::move(head)} {}
  /// As many cells as the head has.
  void add(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }

  void write_text(std::ostream& out) const;
  void write_markdown(std::ostream& out) const;
  void write_html(std::ostream& out) const;

private:
  std::vector<std::size_t> widths() const;

  std::vector<std::string> head_;
  std::vector<std::vector<std::string>> rows_;
};

/// Text that stands for itself in HTML.
std::string html_text(const std::string& text);

} // namespace troupe::bench
