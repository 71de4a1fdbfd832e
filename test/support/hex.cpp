#include "hex.hpp"

namespace support {

namespace {

int digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

} // namespace

bytes from_hex(std::string_view text) {
  bytes out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\'') {
      for (++i; i < text.size() && text[i] != '\''; ++i)
        out.push_back(static_cast<troupe::protocol::octet>(text[i]));
      continue;
    }
    if (digit(text[i]) < 0 || i + 1 >= text.size()) continue;
    out.push_back(static_cast<troupe::protocol::octet>(digit(text[i]) * 16 + digit(text[i + 1])));
    ++i;
  }
  return out;
}

std::string to_hex(troupe::protocol::octets data) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string out;
  for (troupe::protocol::octet b : data) {
    if (!out.empty()) out += ' ';
    out += digits[b >> 4U];
    out += digits[b & 15U];
  }
  return out;
}

} // namespace support
