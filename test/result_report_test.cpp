#include <troupe/bench/load/result_report.hpp>
#include <troupe/bench/load/result_table.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

namespace {

using namespace troupe::bench;
using testing::HasSubstr;
using testing::Not;

std::string report(report_format format, std::vector<row> rows) {
  std::ostringstream out;
  write_report(out, format, {}, rows);
  return out.str();
}

row measured() {
  row r;
  r.work.id = "W40/burst/v5/tcp/qos0/10B";
  r.work.published = 6'486;
  r.ours = {{100, 100}};
  r.raw[0] = {{90, 90}};
  return r;
}

TEST(result_report, shows_ours_beside_raw_and_published) {
  const std::string text = report(report_format::text, {measured()});
  EXPECT_THAT(text, HasSubstr("10.00 M/s"));
  EXPECT_THAT(text, HasSubstr("90.0 ns (1)"));
  EXPECT_THAT(text, HasSubstr("0.90"));
  EXPECT_THAT(text, HasSubstr("6486.0 ns"));
  EXPECT_THAT(text, HasSubstr("64.9x"));
  EXPECT_THAT(text, HasSubstr("arrived once and in order"));
}

TEST(result_report, says_loudly_what_went_wrong) {
  row failed = measured();
  failed.failure = "30 s passed";
  row astray = measured();
  astray.found.lost = 1;
  const std::string text = report(report_format::text, {failed, astray});
  EXPECT_THAT(text, HasSubstr("FAILED W40/burst/v5/tcp/qos0/10B: 30 s passed"));
  EXPECT_THAT(text, HasSubstr("ASTRAY in 1 rows"));
  EXPECT_THAT(text, Not(HasSubstr("arrived once")));
}

TEST(result_report, writes_tables_for_markdown_and_html) {
  EXPECT_THAT(report(report_format::markdown, {measured()}), HasSubstr("|:-"));
  const std::string html = report(report_format::html, {measured()});
  EXPECT_THAT(html, HasSubstr("<td>W40/burst/v5/tcp/qos0/10B</td>"));
  EXPECT_THAT(html, HasSubstr("</html>"));
}

TEST(result_table, sets_columns_below_each_other) {
  result_table table{{"name", "x"}};
  table.add({"a", "1234"});
  std::ostringstream out;
  table.write_text(out);
  EXPECT_EQ(out.str(), "name     x\na     1234\n");
}

TEST(result_table, lets_no_text_become_markup) {
  EXPECT_EQ(html_text("<a & \"b\">"), "&lt;a &amp; &quot;b&quot;&gt;");
}

} // namespace
