#include <troupe/broker/password_hash.hpp>

#include <gtest/gtest.h>

namespace troupe::brokerage {
namespace {

using protocol::as_octets;

constexpr scrypt_cost cheap{.log_n = 4, .r = 1, .p = 1};

TEST(password_hash, knows_the_example_of_rfc_7914) {
  const auto known =
      password_hash::parse("$scrypt$ln=14,r=8,p=1$U29kaXVtQ2hsb3JpZGU$cCO9yzr9c0hGHAbNgf"
                           "046/2o+7qQT44+qbVD9lRdofLVQylVYT8Pz2LUlwUkKpr55h6F3A1lHkDfzwF7RVdYhw");
  ASSERT_TRUE(known);
  EXPECT_TRUE(known->fits(as_octets("pleaseletmein")));
  EXPECT_FALSE(known->fits(as_octets("pleaseletmeit")));
}

TEST(password_hash, fits_the_password_it_was_made_of_alone) {
  const auto one = password_hash::make(as_octets("secret"), cheap);
  ASSERT_TRUE(one);
  const auto read = password_hash::parse(one->text());
  ASSERT_TRUE(read);
  EXPECT_EQ(read->text(), one->text());
  EXPECT_EQ(read->cost(), cheap);
  EXPECT_TRUE(read->fits(as_octets("secret")));
  EXPECT_FALSE(read->fits(as_octets("secret ")));
  EXPECT_FALSE(read->fits({}));
  const auto again = password_hash::make(as_octets("secret"), cheap);
  EXPECT_NE(again->text(), one->text()); // another salt
}

TEST(password_hash, takes_passwords_that_are_no_text) {
  const std::string odd{"a\0b\xFF", 4};
  const auto one = password_hash::make(as_octets(odd), cheap);
  ASSERT_TRUE(one);
  EXPECT_TRUE(one->fits(as_octets(odd)));
  EXPECT_FALSE(one->fits(as_octets("a")));
}

TEST(password_hash, of_nobody_fits_nothing) {
  const auto nobody = password_hash::of_nobody(cheap);
  EXPECT_FALSE(nobody.fits({}));
  EXPECT_FALSE(nobody.fits(as_octets("x")));
}

TEST(password_hash, is_not_read_from_anything_else) {
  const std::string good = password_hash::make(as_octets("x"), cheap)->text();
  ASSERT_TRUE(password_hash::parse(good));
  for (std::size_t size = 0; size < good.size(); ++size) {
    const auto cut = password_hash::parse(good.substr(0, size));
    EXPECT_FALSE(cut && cut->fits(as_octets("x"))) << size;
  }
  for (const char* bad :
       {"", "secret", "$scrypt$", "$scrypt$ln=4,r=1,p=1$$", "$argon2id$v=19$m=1,t=1,p=1$AAAA$AAAA",
        "$scrypt$ln=-4,r=1,p=1$AAAA$AAAAAAAAAAAAAAAAAAAAAAAA",
        "$scrypt$ln=4,r=1,p=1$A!AA$AAAAAAAAAAAAAAAAAAAAAAAA"})
    EXPECT_FALSE(password_hash::parse(bad)) << bad;
}

TEST(password_hash, costs_what_can_be_borne) {
  const char* const tail = "$c2FsdHNhbHQ$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";
  for (const char* cost :
       {"ln=40,r=8,p=1", "ln=20,r=8,p=1", "ln=14,r=0,p=1", "ln=14,r=8,p=4294967295", "ln=0,r=8,p=1"})
    EXPECT_FALSE(password_hash::parse(std::string{"$scrypt$"} + cost + tail)) << cost;
  EXPECT_TRUE(password_hash::parse(std::string{"$scrypt$ln=15,r=8,p=1"} + tail));
  EXPECT_FALSE(password_hash::make({}, {.log_n = 63}));
}

} // namespace
} // namespace troupe::brokerage
