#include "chance.hpp"

#include <openssl/rand.h>

namespace troupe::runtime {

bool system_chance(std::span<protocol::octet> into) noexcept {
  return RAND_bytes(into.data(), static_cast<int>(into.size())) == 1;
}

} // namespace troupe::runtime
