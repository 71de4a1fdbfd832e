// The program with a file, killed again and again while clients publish through it.
#include "support/child.hpp"
#include "support/ladder.hpp"
#include "support/raw_client.hpp"
#include "support/scratch_folder.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <random>
#include <string>
#include <thread>

namespace troupe {
namespace {

using protocol::packet_type;
using protocol::qos;
using test::child;
using test::ladder;
using test::raw_client;
using test::scratch_file;
using test::seen;

std::vector<std::string> command(const std::string& file) {
  return {std::string{TROUPE_BIN_DIR} + "/troupe-broker", "--port", "0", "--persistence", file};
}

/// A ladder over a socket, for as long as the connection stands.
class socket_ladder {
public:
  socket_ladder(ladder& who, const std::string& endpoint) : who_{who}, wire_{endpoint} {
    who_.up(wire_, [this](const auto& bytes) { wire_.send(bytes); });
  }
  ~socket_ladder() { who_.down(); }

  /// Handles one packet; false at the end of the connection.
  bool hear() {
    const seen one = wire_.next();
    if (one.type == packet_type{}) return false;
    who_.on(one);
    return true;
  }

private:
  ladder& who_;
  raw_client wire_;
};

class store_kill_test : public testing::Test {
protected:
  /// TROUPE_KILL_ROUNDS asks for more.
  static int rounds() {
    const char* const wanted = std::getenv("TROUPE_KILL_ROUNDS");
    return wanted == nullptr ? 60 : std::atoi(wanted);
  }
  unsigned any(unsigned below) { return static_cast<unsigned>(chance_() % below); }

  void meet() {
    child broker{command(file_)};
    socket_ladder reading{reader_, broker.line()};
    while (!reader_.is_idle()) ASSERT_TRUE(reading.hear());
  }
  void publish_until_killed() {
    child broker{command(file_)};
    const std::string at = broker.line();
    ASSERT_TRUE(at.starts_with("listening on mqtt://")) << at;
    socket_ladder reading{reader_, at};
    socket_ladder writing{writer_, at};
    std::thread reads{[&] {
      while (reading.hear()) {}
    }};
    for (unsigned left = any(80); left != 0; --left) {
      while (writer_.may_publish())
        writer_.publish(++last_, any(2) == 0 ? qos::at_least_once : qos::exactly_once);
      if (!writing.hear()) break;
    }
    broker.signal(SIGKILL);
    while (writing.hear()) {} // what was said before the end counts
    reads.join();
  }
  void finish() {
    child broker{command(file_)};
    const std::string at = broker.line();
    socket_ladder reading{reader_, at};
    socket_ladder writing{writer_, at};
    while (!writer_.is_idle()) ASSERT_TRUE(writing.hear());
    while (reader_.received.empty() || reader_.order_of_arrival.back() != last_) ASSERT_TRUE(reading.hear());
  }

  const scratch_file file_{"broker.db"};
  std::mt19937_64 chance_{20'240};
  ladder reader_{"reader", true};
  ladder writer_{"writer", false};
  int last_ = 0;
};

TEST_F(store_kill_test, loses_and_doubles_nothing_that_was_acknowledged) {
  ASSERT_NO_FATAL_FAILURE(meet());
  for (int round = 0; round < rounds(); ++round) {
    SCOPED_TRACE(round);
    ASSERT_NO_FATAL_FAILURE(publish_until_killed());
    ASSERT_FALSE(HasFailure());
  }
  ASSERT_NO_FATAL_FAILURE(finish());
  EXPECT_EQ(writer_.acknowledged.size(), static_cast<std::size_t>(last_));
  EXPECT_GT(last_, rounds());
  test::expect_all_arrived(reader_, writer_);
}

TEST(store_program_test, says_which_file_it_cannot_use_and_ends_with_2) {
  const scratch_file foreign{"notes.txt"};
  std::ofstream{foreign.path()} << std::string(2'000, 'n');
  child refuses{{"sh", "-c", command(foreign)[0] + " --port 0 --persistence " + foreign.path() + " 2>&1"}};
  EXPECT_EQ(refuses.line(),
            "troupe-broker: persistence: " + foreign.path() + ": the file belongs to another program");
  EXPECT_EQ(refuses.exit_status(), 2);

  const scratch_file shared{"broker.db"};
  child first{command(shared)};
  ASSERT_TRUE(first.line().starts_with("listening on"));
  child second{{"sh", "-c", command(shared)[0] + " --port 0 --persistence " + shared.path() + " 2>&1"}};
  EXPECT_EQ(second.line(),
            "troupe-broker: persistence: " + shared.path() + ": the file is in use by another process");
  EXPECT_EQ(second.exit_status(), 2);
  first.signal(SIGTERM);
  EXPECT_EQ(first.exit_status(), 0);
}

} // namespace
} // namespace troupe
