#include "support/wire.hpp"

#include <troupe/runtime/slab_outbox.hpp>

#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <string>

namespace {

using namespace troupe::runtime;
using support::counting_keeper;
using troupe::protocol::as_octets;
using troupe::protocol::octet;

void append(slab_outbox& to, std::string_view text) {
  octet* const at = to.reserve(text.size());
  std::memcpy(at, text.data(), text.size());
  to.commit(at + text.size());
}

std::string described(slab_outbox& from, std::size_t at_most, std::size_t entries = 64) {
  std::vector<iovec> into(entries);
  const auto used = from.gather(into, at_most);
  std::string all;
  for (std::size_t i = 0; i < used; ++i)
    all.append(static_cast<const char*>(into[i].iov_base), into[i].iov_len);
  EXPECT_EQ(all.size(), from.gathered());
  return all;
}

TEST(slab_outbox, begins_empty_and_owns_nothing) {
  slab_pool pool;
  slab_outbox box{pool};
  EXPECT_TRUE(box.empty());
  EXPECT_EQ(described(box, 100), "");
  EXPECT_EQ(pool.made(), 0U);
}

TEST(slab_outbox, counts_only_what_was_committed) {
  slab_pool pool;
  slab_outbox box{pool};
  octet* at = box.reserve(1000);
  EXPECT_EQ(box.size(), 0U);
  at[0] = 'x';
  box.commit(at + 1);
  EXPECT_EQ(box.size(), 1U);
  EXPECT_EQ(described(box, 100), "x");
}

TEST(slab_outbox, keeps_borrowed_payloads_in_order_and_alive) {
  slab_pool pool;
  slab_outbox box{pool};
  counting_keeper owner;
  const std::string payload(3000, 'p');
  append(box, "head");
  box.borrow(as_octets(payload), &owner);
  append(box, "tail");
  EXPECT_EQ(owner.references, 1);
  EXPECT_EQ(box.size(), 3008U);
  EXPECT_EQ(described(box, 10'000), "head" + payload + "tail");
  box.consume(4 + 2999);
  EXPECT_EQ(owner.references, 1);
  box.consume(1);
  EXPECT_EQ(owner.references, 0);
  EXPECT_EQ(described(box, 10'000), "tail");
}

TEST(slab_outbox, copies_payloads_without_an_owner) {
  slab_pool pool;
  slab_outbox box{pool};
  {
    const std::string payload(100'000, 'q');
    box.borrow(as_octets(payload), nullptr);
  }
  EXPECT_EQ(described(box, 1'000'000), std::string(100'000, 'q'));
}

TEST(slab_outbox, keeps_frames_whole_when_told_to) {
  slab_pool pool;
  slab_outbox box{pool, borrowing::crowded};
  counting_keeper owner;
  append(box, "head");
  box.borrow(as_octets(std::string(3000, 'p')), &owner);
  EXPECT_EQ(owner.references, 0);
  std::vector<outbox_segment> moved;
  box.move_to(moved, ~std::size_t{0});
  ASSERT_EQ(moved.size(), 1U);
  EXPECT_EQ(moved[0].bytes.size(), 3004U);
  EXPECT_TRUE(moved[0].is_padded);

  append(box, "head");
  const std::string large(100'000, 'q');
  box.borrow(as_octets(large), &owner);
  EXPECT_EQ(owner.references, 1);
  box.move_to(moved, ~std::size_t{0});
  ASSERT_EQ(moved.size(), 3U);
  EXPECT_FALSE(moved[2].is_padded);
  moved.clear();
  EXPECT_EQ(owner.references, 0);
}

TEST(slab_outbox, gives_slabs_back_when_emptied) {
  slab_pool pool;
  {
    slab_outbox box{pool};
    for (int round = 0; round < 50; ++round) {
      for (int i = 0; i < 100; ++i) append(box, std::string(1000, 'x'));
      while (!box.empty()) {
        static_cast<void>(described(box, 30'000));
        box.consume(box.gathered());
      }
    }
    EXPECT_LT(pool.made(), 12U);
  }
  pool.trim();
  EXPECT_EQ(pool.idle(), 0U);
}

TEST(slab_outbox, survives_partial_consumption_at_every_size) {
  std::mt19937 chance{42};
  for (int round = 0; round < 40; ++round) {
    slab_pool pool;
    slab_outbox box{pool};
    counting_keeper owner;
    std::string expected;
    std::string got;
    std::vector<std::string> payloads;
    payloads.reserve(400);
    for (int step = 0; step < 400; ++step) {
      const std::size_t size = chance() % 5000;
      payloads.emplace_back(size, static_cast<char>('a' + chance() % 26));
      expected += payloads.back();
      if (size >= 2048)
        box.borrow(as_octets(payloads.back()), &owner);
      else
        append(box, payloads.back());
      if (chance() % 3 == 0) {
        const std::string part = described(box, 1 + chance() % 20'000, 1 + chance() % 8);
        const std::size_t taken = part.empty() ? 0 : chance() % (part.size() + 1);
        got += part.substr(0, taken);
        box.consume(taken);
      }
      ASSERT_EQ(box.size(), expected.size() - got.size());
    }
    while (!box.empty()) {
      got += described(box, 50'000);
      box.consume(box.gathered());
    }
    EXPECT_EQ(got, expected);
    EXPECT_EQ(owner.references, 0);
  }
}

TEST(slab_outbox, drops_everything_when_cleared_or_destroyed) {
  slab_pool pool;
  counting_keeper owner;
  const std::string payload(3000, 'p');
  {
    slab_outbox box{pool};
    append(box, "a");
    box.borrow(as_octets(payload), &owner);
    box.clear();
    EXPECT_EQ(owner.references, 0);
    EXPECT_TRUE(box.empty());
    append(box, "b");
    EXPECT_EQ(described(box, 10), "b");
    box.borrow(as_octets(payload), &owner);
  }
  EXPECT_EQ(owner.references, 0);
}

} // namespace
