#include "base64.hpp"

#include <openssl/evp.h>

namespace troupe::runtime {

std::string base64(protocol::octets from) {
  std::string text((from.size() + 2) / 3 * 4 + 1, '\0'); // OpenSSL ends it with a NUL
  const int size = EVP_EncodeBlock(reinterpret_cast<unsigned char*>(text.data()), from.data(),
                                   static_cast<int>(from.size()));
  text.resize(static_cast<std::size_t>(size));
  return text;
}

} // namespace troupe::runtime
