#include "result_table.hpp"

#include <algorithm>
#include <ostream>

namespace troupe::bench {
namespace {

// Columns of a terminal: continuation octets of UTF-8 take none.
std::size_t columns(const std::string& text) {
  return static_cast<std::size_t>(std::count_if(
      text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

void write_padded(std::ostream& out, const std::string& cell, std::size_t width, bool to_the_left) {
  const std::string space(width - std::min(width, columns(cell)), ' ');
  out << (to_the_left ? cell + space : space + cell);
}

void write_html_row(std::ostream& out, const std::vector<std::string>& cells, const char* tag) {
  out << "<tr>";
  for (const std::string& cell : cells) out << '<' << tag << '>' << html_text(cell) << "</" << tag << '>';
  out << "</tr>\n";
}

} // namespace

std::string html_text(const std::string& text) {
  std::string result;
  for (const char c : text) {
    if (c == '&')
      result += "&amp;";
    else if (c == '<')
      result += "&lt;";
    else if (c == '>')
      result += "&gt;";
    else if (c == '"')
      result += "&quot;";
    else
      result += c;
  }
  return result;
}

std::vector<std::size_t> result_table::widths() const {
  std::vector<std::size_t> result;
  for (const std::string& cell : head_) result.push_back(columns(cell));
  for (const auto& row : rows_)
    for (std::size_t i = 0; i < result.size() && i < row.size(); ++i)
      result[i] = std::max(result[i], columns(row[i]));
  return result;
}

void result_table::write_text(std::ostream& out) const {
  const auto width = widths();
  const auto write = [&](const std::vector<std::string>& cells) {
    for (std::size_t i = 0; i < cells.size(); ++i) {
      if (i != 0) out << "  ";
      write_padded(out, cells[i], width[i], i == 0);
    }
    out << '\n';
  };
  write(head_);
  for (const auto& row : rows_) write(row);
}

void result_table::write_markdown(std::ostream& out) const {
  const auto width = widths();
  const auto write = [&](const std::vector<std::string>& cells) {
    for (std::size_t i = 0; i < cells.size(); ++i) {
      out << "| ";
      write_padded(out, cells[i], width[i], i == 0);
      out << ' ';
    }
    out << "|\n";
  };
  write(head_);
  for (std::size_t i = 0; i < width.size(); ++i)
    out << '|' << (i == 0 ? ':' : '-') << std::string(width[i], '-') << (i == 0 ? '-' : ':');
  out << "|\n";
  for (const auto& row : rows_) write(row);
}

void result_table::write_html(std::ostream& out) const {
  out << "<table>\n<thead>";
  write_html_row(out, head_, "th");
  out << "</thead>\n<tbody>\n";
  for (const auto& row : rows_) write_html_row(out, row, "td");
  out << "</tbody>\n</table>\n";
}

} // namespace troupe::bench
