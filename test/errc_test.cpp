#include <troupe/protocol/errc.hpp>

#include <gtest/gtest.h>
#include <set>

namespace {

using namespace troupe::protocol;

TEST(errc, has_a_sentence_of_its_own_for_every_code) {
  std::set<std::string> sentences;
  for (int code = 1; code <= static_cast<int>(errc::implementation_error); ++code) {
    const auto text = make_error_code(static_cast<errc>(code)).message();
    EXPECT_NE(text, "unknown error") << code;
    EXPECT_TRUE(sentences.insert(text).second) << text;
  }
  EXPECT_EQ(std::error_code(9'999, errc_category()).message(), "unknown error");
  EXPECT_STREQ(errc_category().name(), "mqtt");
}

TEST(errc, names_the_reason_code_that_the_peer_must_get) {
  EXPECT_EQ(answer_for({}), reason_code::success);
  EXPECT_EQ(answer_for(errc::malformed_packet), reason_code::malformed_packet);
  EXPECT_EQ(answer_for(errc::protocol_error), reason_code::protocol_error);
  EXPECT_EQ(answer_for(errc::packet_too_large), reason_code::packet_too_large);
  EXPECT_EQ(answer_for(errc::topic_alias_invalid), reason_code::topic_alias_invalid);
  EXPECT_EQ(answer_for(errc::receive_maximum_exceeded), reason_code::receive_maximum_exceeded);
  EXPECT_EQ(answer_for(errc::unsupported_version), reason_code::unsupported_protocol_version);
  EXPECT_EQ(answer_for(errc::invalid_topic_filter), reason_code::topic_filter_invalid);
  EXPECT_EQ(answer_for(errc::invalid_share_name), reason_code::topic_filter_invalid);
  EXPECT_EQ(answer_for(errc::keep_alive_timeout), reason_code::keep_alive_timeout);
  EXPECT_EQ(answer_for(errc::implementation_error), reason_code::implementation_specific_error);
  EXPECT_EQ(answer_for(std::make_error_code(std::errc::timed_out)),
            reason_code::implementation_specific_error);
}

} // namespace
