// What a client says in the log, and that it says nothing when nobody listens.
#include <troupe/actors/client_log.hpp>

#include "support/actors/timed_clients.hpp"

#include <mutex>
#include <string>
#include <vector>

namespace {

using troupe::client;
using troupe::client_event;
using troupe::log_level;
using troupe::actors::event_line;
using namespace std::chrono_literals;

TEST(event_lines, are_one_line_each_whatever_is_said) {
  event_line line{client_event::connected, "a\"b\\c\nd"};
  line.say("resumed", true).say("took_us", 17).say("who", "x=y z");
  EXPECT_EQ(line.text(),
            R"(event=3 name=connected client="a\"b\\c\x0ad" resumed=true took_us=17 who="x=y z")");
}

TEST(event_lines, have_numbers_that_stay_and_names_for_all) {
  for (unsigned number = 1; number <= 8; ++number)
    EXPECT_NE(name(static_cast<client_event>(number)), "unknown") << number;
  EXPECT_EQ(static_cast<unsigned>(client_event::faulted), 7U);
  EXPECT_EQ(static_cast<unsigned>(client_event::redirected), 8U);
}

TEST(event_lines, are_not_put_together_when_nobody_listens) {
  int filled = 0;
  const auto fill = [&filled](event_line&) { ++filled; };
  troupe::actors::say(troupe::runtime::logger{}, log_level::error, client_event::faulted, "c", fill);
  EXPECT_EQ(filled, 0);
  int lines = 0;
  const troupe::runtime::logger heard{[&lines](log_level, std::string_view, std::string_view) { ++lines; }};
  troupe::actors::say(heard, log_level::error, client_event::faulted, "c", fill);
  EXPECT_EQ(filled, 1);
  EXPECT_EQ(lines, 1);
}

class client_logs : public testing::Test {
protected:
  struct line {
    log_level level;
    std::string text;
  };
  /// The text of the first line of this event; "" when there is none.
  std::string find(client_event what) {
    const std::string begin = "event=" + std::to_string(static_cast<unsigned>(what)) + ' ';
    const std::scoped_lock lock{mutex_};
    for (const line& each : lines_)
      if (each.text.starts_with(begin)) return each.text;
    return {};
  }
  bool says(std::string_view what) {
    const std::scoped_lock lock{mutex_};
    for (const line& each : lines_)
      if (each.text.find(what) != std::string::npos) return true;
    return false;
  }
  troupe::client_options options() const {
    troupe::client_options result;
    result.broker = "mqtt://user:s3cret@script:1999";
    result.user_name = "user";
    result.password = "s3cret";
    result.client_id = "c";
    result.keep_alive = 0s;
    result.backoff_first = result.backoff_limit = 1ms;
    result.connector = network;
    return result;
  }
  support::line accept() {
    for (int turn = 0; turn != 100 && (time.settle(), !network->has_caller()); ++turn) time.advance(1ms);
    return network->accept();
  }

  std::mutex mutex_;
  std::vector<line> lines_;
  std::shared_ptr<support::scripted_network> network = std::make_shared<support::scripted_network>();
  troupe::runtime::manual_clock time;
  troupe::stage stage{{.log =
                           [this](log_level level, std::string_view, std::string_view text) {
                             const std::scoped_lock lock{mutex_};
                             lines_.push_back({level, std::string{text}});
                           },
                       .time = &time}};
};

TEST_F(client_logs, tell_the_life_of_a_client_and_never_its_password) {
  client c{stage, options()};
  time.settle();
  network->refuse(std::make_error_code(std::errc::host_unreachable));
  auto link = accept();
  time.settle();
  link.say("20 03 00 00 00");
  time.settle();
  link.cut();
  auto again = accept();
  time.settle();
  again.say("20 03 00 86 00");
  time.settle();
  EXPECT_EQ(find(client_event::dialling),
            R"(event=1 name=dialling client="c" broker="mqtt://script:1999" attempt=1)");
  EXPECT_TRUE(
      find(client_event::waiting)
          .starts_with(
              R"(event=4 name=waiting client="c" broker="mqtt://script:1999" why="No route to host" failures=1 )"))
      << find(client_event::waiting);
  EXPECT_TRUE(
      find(client_event::connected)
          .starts_with(
              R"(event=3 name=connected client="c" broker="mqtt://script:1999" resumed=false took_us=)"));
  EXPECT_TRUE(find(client_event::faulted).starts_with(R"(event=7 name=faulted client="c" why=")"));
  EXPECT_FALSE(says("s3cret"));
}

TEST_F(client_logs, tell_that_an_end_was_wanted_and_reached) {
  client c{stage, options()};
  auto link = accept();
  time.settle();
  link.say("20 03 00 00 00");
  time.settle();
  auto done = c.disconnect();
  time.settle();
  EXPECT_TRUE(done.get().ok());
  EXPECT_EQ(find(client_event::ending), R"(event=5 name=ending client="c")");
  EXPECT_EQ(find(client_event::ended), R"(event=6 name=ended client="c")");
}

} // namespace
