#include "message_stamp.hpp"

#include <fstream>
#include <string>

namespace troupe::bench {

std::uint32_t boot_mark() {
  std::ifstream file{"/proc/sys/kernel/random/boot_id"};
  std::string text;
  std::getline(file, text);
  std::uint32_t mark = 2'166'136'261U; // FNV-1a
  for (const char c : text) mark = (mark ^ static_cast<unsigned char>(c)) * 16'777'619U;
  return mark;
}

} // namespace troupe::bench
