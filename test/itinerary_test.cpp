// Which broker comes next: after failures, and after brokers that name others.
#include <troupe/actors/itinerary.hpp>

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace {

using troupe::redirect_errc;
using troupe::actors::itinerary;
using troupe::actors::redirect_advice;
using troupe::protocol::reason_code;
using kind = troupe::actors::redirect_advice::kind;

constexpr auto this_time = reason_code::use_another_server;
constexpr auto for_good = reason_code::server_moved;

itinerary of(const std::vector<std::string>& brokers, std::uint16_t most_hops = 3) {
  std::vector<troupe::runtime::endpoint> known;
  for (const std::string& each : brokers) known.push_back(troupe::runtime::parse_endpoint(each).value());
  return itinerary{std::move(known), most_hops};
}

/// The next so many, each having failed.
std::string next(itinerary& way, int count) {
  std::string hosts;
  for (int number = 0; number != count; ++number, way.go_on()) hosts += way.here().host;
  return hosts;
}

void expect(const redirect_advice& is, kind what, redirect_errc why) {
  EXPECT_EQ(is.what, what);
  EXPECT_EQ(is.why, why);
}

TEST(itineraries, go_round) {
  auto way = of({"a", "b", "c"});
  EXPECT_EQ(next(way, 7), "abcabca");
}

TEST(itineraries, make_a_detour_through_all_that_were_named_and_go_on) {
  auto way = of({"a", "b"});
  expect(way.follow(this_time, "x y:1"), kind::dial, redirect_errc::use_another_server);
  EXPECT_EQ(next(way, 6), "xybaba");
}

TEST(itineraries, put_the_new_addresses_in_the_place_of_a_broker_that_moved) {
  auto way = of({"a", "b", "c"});
  way.go_on();
  expect(way.follow(for_good, "x y"), kind::dial, redirect_errc::server_moved);
  EXPECT_EQ(next(way, 8), "xycaxyca");
}

TEST(itineraries, know_nobody_twice) {
  auto way = of({"a", "b", "c"});
  expect(way.follow(for_good, "c x b"), kind::dial, redirect_errc::server_moved);
  EXPECT_EQ(way.here().host, "c") << "the first that was named";
  EXPECT_EQ(next(way, 4), "cxbc");
}

TEST(itineraries, do_not_grow_however_often_brokers_move) {
  auto way = of({"start"}, 65'535);
  for (int turn = 0; turn != 1'000; ++turn) {
    std::string named;
    for (int number = 0; number != 8; ++number)
      named += "h" + std::to_string(turn) + "-" + std::to_string(number) + ' ';
    ASSERT_EQ(way.follow(for_good, named).what, kind::dial);
    ASSERT_EQ(way.here().host, "h" + std::to_string(turn) + "-0");
  }
  const auto first = way.here();
  int round = 0;
  do {
    way.go_on();
    ++round;
  } while (!(way.here() == first));
  EXPECT_LE(round, 32);
}

TEST(itineraries, on_a_detour_change_nothing_for_good) {
  auto way = of({"a"});
  static_cast<void>(way.follow(this_time, "x"));
  expect(way.follow(for_good, "y"), kind::dial, redirect_errc::server_moved);
  EXPECT_EQ(next(way, 3), "yaa");
}

TEST(itineraries, mean_the_others_when_nobody_is_named) {
  auto way = of({"a", "b", "c"});
  expect(way.follow(this_time, ""), kind::dial, redirect_errc::use_another_server);
  EXPECT_EQ(way.here().host, "b");
  expect(way.follow(for_good, ""), kind::dial, redirect_errc::server_moved);
  EXPECT_EQ(next(way, 4), "caca");
}

TEST(itineraries, that_know_nobody_else_wait_for_the_one_that_is_busy_and_give_up_on_the_one_that_moved) {
  auto way = of({"a"});
  expect(way.follow(this_time, ""), kind::wait, redirect_errc::use_another_server);
  expect(way.follow(for_good, ""), kind::give_up, redirect_errc::server_moved);
  expect(way.follow(for_good, "unix:///x"), kind::give_up, redirect_errc::no_usable_reference);
  EXPECT_EQ(way.here().host, "a");
}

TEST(itineraries, end_loops) {
  auto way = of({"a"});
  for (const char* each : {"b", "a", "b"}) EXPECT_EQ(way.follow(this_time, each).what, kind::dial);
  EXPECT_EQ(way.hops(), 3);
  expect(way.follow(this_time, "a"), kind::wait, redirect_errc::too_many);
  EXPECT_EQ(way.follow(this_time, "b").what, kind::dial) << "after that wait";
}

TEST(itineraries, end_loops_of_brokers_that_name_nobody) {
  auto way = of({"a", "b"});
  for (int hop = 0; hop != 3; ++hop) EXPECT_EQ(way.follow(this_time, "").what, kind::dial);
  expect(way.follow(this_time, ""), kind::wait, redirect_errc::too_many);
}

TEST(itineraries, count_hops_anew_after_a_good_connection) {
  auto way = of({"a"}, 1);
  EXPECT_EQ(way.follow(this_time, "b").what, kind::dial);
  way.settle();
  EXPECT_EQ(way.follow(this_time, "c").what, kind::dial);
}

TEST(itineraries, begin_with_the_known_when_the_user_begins_anew) {
  auto way = of({"a", "b"});
  static_cast<void>(way.follow(this_time, "x"));
  way.begin_again();
  EXPECT_EQ(next(way, 2), "ab");
  EXPECT_EQ(way.hops(), 0);
}

TEST(itineraries, follow_nobody_when_told_so) {
  auto way = of({"a", "b"}, 0);
  EXPECT_EQ(way.follow(for_good, "x").what, kind::give_up);
  EXPECT_FALSE(way.follow(this_time, "x").why);
  EXPECT_EQ(way.here().host, "a");
}

} // namespace
