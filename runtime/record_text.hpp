// record_text: what keys and values of records are made of.
//
// Lives here: record_writer (puts one together), record_reader (takes one apart).
// Holds:   numbers are big-endian, so that keys stand in the order of what they name.
// Threads: values.
// Errors:  a reader that finds too little says so by ok(), and reads zeros.
// Costs:   a writer keeps its memory.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace troupe::runtime {

class record_writer {
public:
  record_writer& anew() noexcept {
    text_.clear();
    return *this;
  }
  record_writer& letter(char value) {
    text_.push_back(value);
    return *this;
  }
  record_writer& number(std::uint64_t value, unsigned octets) {
    for (unsigned left = octets; left-- != 0;) text_.push_back(static_cast<char>(value >> (8U * left)));
    return *this;
  }
  record_writer& text(std::string_view value) {
    text_.append(value);
    return *this;
  }
  std::string_view written() const noexcept { return text_; }

private:
  std::string text_{};
};

class record_reader {
public:
  explicit record_reader(std::string_view from) noexcept : left_{from} {}

  std::uint64_t number(unsigned octets) noexcept {
    if (left_.size() < octets) {
      is_ok_ = false;
      left_ = {};
      return 0;
    }
    std::uint64_t value = 0;
    for (unsigned at = 0; at < octets; ++at) value = value << 8U | static_cast<unsigned char>(left_[at]);
    left_.remove_prefix(octets);
    return value;
  }
  char letter() noexcept { return static_cast<char>(number(1)); }
  std::string_view rest() noexcept { return std::exchange(left_, {}); }
  bool ok() const noexcept { return is_ok_; }

private:
  std::string_view left_;
  bool is_ok_ = true;
};

} // namespace troupe::runtime
