#include <troupe/broker/agenda.hpp>

#include <gtest/gtest.h>

#include <vector>

namespace troupe::brokerage {
namespace {

TEST(agenda, brings_up_what_is_due_in_order) {
  agenda book;
  const protocol::time_point start{std::chrono::hours{1}};
  EXPECT_EQ(book.next(), protocol::never);
  for (const int second : {5, 1, 3, 2, 4})
    book.enter(start + std::chrono::seconds{second}, agenda::kind::peer, static_cast<std::uint64_t>(second));
  book.enter(protocol::never, agenda::kind::session, 9);
  EXPECT_EQ(book.next(), start + std::chrono::seconds{1});
  std::vector<std::uint64_t> due;
  book.take_due(start + std::chrono::seconds{3},
                [&](const agenda::entry& one) { due.push_back(one.number); });
  EXPECT_EQ(due, (std::vector<std::uint64_t>{1, 2, 3}));
  EXPECT_EQ(book.next(), start + std::chrono::seconds{4});
}

TEST(agenda, may_be_written_to_while_it_is_read) {
  agenda book;
  const protocol::time_point start{};
  book.enter(start, agenda::kind::peer, 1);
  int seen = 0;
  book.take_due(start, [&](const agenda::entry& one) {
    ++seen;
    if (seen < 3) book.enter(one.when + std::chrono::seconds{seen - 1}, one.what, one.number);
  });
  EXPECT_EQ(seen, 2);
  EXPECT_EQ(book.next(), start + std::chrono::seconds{1});
}

} // namespace
} // namespace troupe::brokerage
