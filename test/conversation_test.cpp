// client_machine and server_machine against each other: thousands of rounds, cut and resumed.
#include "support/conversation_pair.hpp"

#include <gtest/gtest.h>

using troupe::protocol::version;
using troupe::protocol::talk::pair;
using troupe::protocol::talk::terms;

namespace {

class conversation : public testing::TestWithParam<version> {
protected:
  void rounds(terms how, std::uint64_t count) {
    how.protocol = GetParam();
    if (how.protocol == version::v3_1_1) how.aliases = false;
    for (std::uint64_t seed = 1; seed <= count; ++seed) {
      SCOPED_TRACE(seed);
      how.seed = seed;
      pair{how}.run();
      if (HasFailure()) return;
    }
  }
};

TEST_P(conversation, undisturbed) { rounds({.cut_one_in = 0}, 50); }

TEST_P(conversation, exactly_once_and_in_order_across_cuts_at_every_step) { rounds({}, 300); }

TEST_P(conversation, cuts_all_the_time) { rounds({.cut_one_in = 6}, 200); }

TEST_P(conversation, windows_of_one_are_never_exceeded) {
  rounds({.client_window = 1, .server_window = 1}, 200);
}

TEST_P(conversation, small_windows_and_deferred_answers_across_cuts) {
  rounds({.client_window = 3, .server_window = 2, .defers = true}, 300);
}

TEST_P(conversation, aliases_die_with_their_connection) {
  rounds({.client_window = 5, .server_window = 5, .aliases = true, .defers = true}, 200);
}

TEST_P(conversation, cancelling_disturbs_nobody_else) {
  rounds({.client_window = 3, .server_window = 3, .defers = true, .cancels = true}, 300);
}

TEST_P(conversation, lost_sessions_lose_no_message_and_wedge_nothing) {
  rounds({.client_window = 3, .server_window = 3, .aliases = true, .defers = true, .loses_sessions = true},
         300);
}

TEST_P(conversation, exactly_once_across_ten_thousand_cuts_at_any_octet) {
  std::uint64_t cuts = 0;
  for (std::uint64_t seed = 1; cuts < 10'000 && !HasFailure(); ++seed) {
    SCOPED_TRACE(seed);
    pair both{{.protocol = GetParam(),
               .seed = seed,
               .client_window = static_cast<std::uint16_t>(1 + seed % 20),
               .server_window = static_cast<std::uint16_t>(1 + seed % 7),
               .defers = seed % 2 == 0,
               .exact_only = true,
               .cut_one_in = static_cast<std::uint32_t>(4 + seed % 30)}};
    both.run();
    cuts += both.cuts();
  }
  EXPECT_GE(cuts, 10'000U);
}

INSTANTIATE_TEST_SUITE_P(of_both_versions, conversation, testing::Values(version::v3_1_1, version::v5_0),
                         [](const auto& each) { return each.param == version::v5_0 ? "v5_0" : "v3_1_1"; });

} // namespace
