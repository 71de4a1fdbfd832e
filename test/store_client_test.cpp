// A client with a session file, killed again and again while it publishes; the next process goes on.
#include "support/child.hpp"
#include "support/ladder.hpp"
#include "support/raw_client.hpp"
#include "support/scratch_folder.hpp"

#include <troupe/actors/client.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <deque>
#include <random>
#include <string>

namespace troupe {
namespace {

using protocol::packet_type;
using protocol::qos;
using test::child;
using test::ladder;
using test::raw_client;
using test::scratch_file;

constexpr int numbers_of_a_life = 100'000;

/// One process: publishes numbers from `first` on and says which have been delivered, until it is killed.
[[noreturn]] void live(const std::string& broker, const std::string& file, int first, int said) {
  stage place;
  client c{place,
           {.broker = broker,
            .client_id = "mortal",
            .clean_start = false,
            .keep_alive = std::chrono::seconds{0},
            .session_expiry = std::chrono::hours{1},
            .session_file = file}};
  if (!c.connected().get().ok()) _exit(3);
  std::deque<pending<outcome>> open;
  for (int asked = first, done = first;; ++asked) {
    open.push_back(c.publish("t", std::to_string(asked), qos::exactly_once));
    if (open.size() < 8) continue;
    if (!open.front().get().ok()) _exit(4);
    open.pop_front();
    if (write(said, &done, sizeof done) != sizeof done) _exit(5);
    ++done;
  }
}

/// Starts a process, kills it when it has said so often that something was delivered. Adds what it said.
void live_and_die(const std::string& broker, const std::string& file, int first, unsigned words,
                  std::vector<int>& delivered) {
  int said[2];
  ASSERT_EQ(pipe(said), 0);
  const pid_t mortal = fork(); // this process has one thread
  ASSERT_GE(mortal, 0);
  if (mortal == 0) live(broker, file, first, said[1]);
  close(said[1]);
  int number = 0;
  for (; words != 0; --words) {
    ASSERT_EQ(read(said[0], &number, sizeof number), static_cast<ssize_t>(sizeof number))
        << "ended by itself";
    delivered.push_back(number);
  }
  kill(mortal, SIGKILL);
  waitpid(mortal, nullptr, 0);
  while (read(said[0], &number, sizeof number) == sizeof number) delivered.push_back(number);
  close(said[0]);
}

TEST(store_client_test, delivers_exactly_once_across_kill) {
  const char* const wanted = std::getenv("TROUPE_KILL_ROUNDS");
  const int rounds = wanted == nullptr ? 25 : std::atoi(wanted);
  const scratch_file file{"session.db"};
  child broker{{std::string{TROUPE_BIN_DIR} + "/troupe-broker", "--port", "0"}};
  const std::string line = broker.line();
  ASSERT_TRUE(line.starts_with("listening on ")) << line;
  const std::string at = line.substr(line.rfind(' ') + 1);

  ladder reader{"reader", true};
  raw_client wire{at};
  reader.up(wire, [&](const auto& bytes) { wire.send(bytes); });
  while (!reader.is_idle()) reader.on(wire.next());

  std::mt19937_64 chance{20'241};
  std::vector<int> delivered;
  for (int round = 0; round < rounds; ++round) {
    SCOPED_TRACE(round);
    const auto words = static_cast<unsigned>(chance() % 40);
    ASSERT_NO_FATAL_FAILURE(live_and_die(at, file.path(), round * numbers_of_a_life, words, delivered));
  }
  { // the last process has nothing to say of its own but the end
    stage place;
    client c{place,
             {.broker = at,
              .client_id = "mortal",
              .clean_start = false,
              .session_expiry = std::chrono::hours{1},
              .session_file = file.path()}};
    ASSERT_TRUE(c.publish("t", std::to_string(rounds * numbers_of_a_life), qos::exactly_once).get().ok());
  }
  while (reader.order_of_arrival.empty() || reader.order_of_arrival.back() != rounds * numbers_of_a_life) {
    const auto one = wire.next();
    ASSERT_NE(one.type, packet_type{});
    reader.on(one);
  }
  for (const int number : delivered) EXPECT_EQ(reader.received[number], 1) << number;
  for (const auto& [number, times] : reader.received) EXPECT_LE(times, 1) << number;
  EXPECT_TRUE(std::is_sorted(reader.order_of_arrival.begin(), reader.order_of_arrival.end()));
}

} // namespace
} // namespace troupe
