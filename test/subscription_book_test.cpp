#include <troupe/actors/subscription_book.hpp>

#include <gtest/gtest.h>

namespace {

using namespace troupe::actors;
using removal = subscription_book::removal;
using troupe::message;
using troupe::qos;

link_ref link_to(std::string filter, qos maximum = qos::at_most_once,
                 troupe::subscribe_options options = {}) {
  return std::make_shared<subscription_link>(
      std::move(filter), maximum, [](const message&) {}, std::move(options), std::weak_ptr<client_core>{});
}

TEST(subscription_books, have_one_line_for_a_filter_and_ask_for_the_highest_quality) {
  subscription_book book;
  book.add(link_to("a", qos::exactly_once));
  const book_entry& line = book.add(link_to("a", qos::at_most_once, {.no_local = true}));
  EXPECT_EQ(book.size(), 1U);
  const auto asked = subscription_book::line("a", line);
  EXPECT_EQ(asked.quality, qos::exactly_once);
  EXPECT_TRUE(asked.no_local) << "the latest decides about the rest";
}

TEST(subscription_books, lose_a_line_with_its_last_link) {
  subscription_book book;
  const auto one = link_to("a");
  const auto two = link_to("a");
  book.add(one);
  book.add(two).is_granted = true;
  book_entry line;
  EXPECT_EQ(book.remove(*one, line), removal::one_of_many);
  EXPECT_EQ(book.remove(*one, line), removal::unknown);
  EXPECT_EQ(book.remove(*two, line), removal::last);
  EXPECT_TRUE(line.is_known());
  EXPECT_EQ(book.size(), 0U);
  EXPECT_EQ(book.remove(*link_to("b"), line), removal::unknown);
}

TEST(subscription_books, forget_what_was_granted_with_the_session) {
  subscription_book book;
  book.add(link_to("a")).is_granted = true;
  book.add(link_to("b"));
  EXPECT_TRUE(book.find("a")->is_known());
  EXPECT_FALSE(book.find("b")->is_known());
  book.lose();
  EXPECT_FALSE(book.find("a")->is_known());
  EXPECT_EQ(book.find("c"), nullptr);
}

} // namespace
