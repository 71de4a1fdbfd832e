#include "password_hash.hpp"

#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/rand.h>

#include <charconv>
#include <utility>

namespace troupe::brokerage {

namespace {

using bytes = std::vector<std::uint8_t>;

constexpr std::size_t salt_size = 16;
constexpr std::size_t digest_size = 32;
constexpr std::size_t most_size = 64; // of salt or digest, in a file
constexpr std::string_view prefix = "$scrypt$";

std::string in_base64(const bytes& data) {
  std::string text(4 * ((data.size() + 2) / 3) + 1, '\0');
  const int size = EVP_EncodeBlock(reinterpret_cast<unsigned char*>(text.data()), data.data(),
                                   static_cast<int>(data.size()));
  text.resize(static_cast<std::size_t>(size));
  text.resize(text.find_last_not_of('=') + 1);
  return text;
}

std::optional<bytes> from_base64(std::string_view text) {
  if (text.empty() || text.size() > 2 * most_size || text.size() % 4 == 1) return {};
  constexpr std::string_view digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  if (text.find_first_not_of(digits) != std::string_view::npos) return {};
  std::string padded{text};
  padded.resize((text.size() + 3) / 4 * 4, '=');
  bytes data(padded.size() / 4 * 3);
  const int size = EVP_DecodeBlock(data.data(), reinterpret_cast<const unsigned char*>(padded.data()),
                                   static_cast<int>(padded.size()));
  if (size < 0) return {};
  data.resize(text.size() * 3 / 4);
  if (data.size() > most_size) return {};
  return data;
}

std::size_t memory_of(scrypt_cost cost) noexcept {
  return std::size_t{128} * cost.r * (std::size_t{1} << cost.log_n)
         + std::size_t{128} * cost.r * (cost.p + 2);
}

bool is_bearable(scrypt_cost cost) noexcept {
  return cost.log_n >= 1 && cost.log_n <= 20 && cost.r >= 1 && cost.r <= 32 && cost.p >= 1 && cost.p <= 16
         && memory_of(cost) <= password_hash::most_memory;
}

bool derive(protocol::octets password, const bytes& salt, scrypt_cost cost, bytes& digest) {
  const auto* const text = reinterpret_cast<const char*>(password.data());
  const int done = EVP_PBE_scrypt(password.empty() ? "" : text, password.size(), salt.data(), salt.size(),
                                  std::uint64_t{1} << cost.log_n, cost.r, cost.p,
                                  password_hash::most_memory * 2, digest.data(), digest.size());
  ERR_clear_error();
  return done == 1;
}

/// Takes "<name>=<number>" and the `end` behind it off the front of `text`.
std::optional<unsigned> take_number(std::string_view& text, std::string_view name, char end) {
  if (!text.starts_with(name)) return {};
  text.remove_prefix(name.size());
  unsigned value = 0;
  const auto [at, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const auto used = static_cast<std::size_t>(at - text.data());
  if (error != std::errc{} || used == text.size() || *at != end) return {};
  text.remove_prefix(used + 1);
  return value;
}

} // namespace

std::optional<password_hash> password_hash::make(protocol::octets password, scrypt_cost cost) {
  bytes salt(salt_size);
  bytes digest(digest_size);
  if (!is_bearable(cost) || RAND_bytes(salt.data(), static_cast<int>(salt.size())) != 1) return {};
  if (!derive(password, salt, cost, digest)) return {};
  return password_hash{cost, std::move(salt), std::move(digest)};
}

password_hash password_hash::of_nobody(scrypt_cost cost) { return {cost, bytes(salt_size), {}}; }

std::optional<password_hash> password_hash::parse(std::string_view text) {
  if (!text.starts_with(prefix)) return {};
  text.remove_prefix(prefix.size());
  const auto log_n = take_number(text, "ln=", ',');
  const auto r = log_n ? take_number(text, "r=", ',') : std::nullopt;
  const auto p = r ? take_number(text, "p=", '$') : std::nullopt;
  if (!p) return {};
  const scrypt_cost cost{.log_n = *log_n, .r = *r, .p = *p};
  const std::size_t middle = text.find('$');
  if (!is_bearable(cost) || middle == std::string_view::npos) return {};
  auto salt = from_base64(text.substr(0, middle));
  auto digest = from_base64(text.substr(middle + 1));
  if (!salt || !digest || digest->size() < digest_size) return {};
  return password_hash{cost, std::move(*salt), std::move(*digest)};
}

std::string password_hash::text() const {
  return std::string{prefix} + "ln=" + std::to_string(cost_.log_n) + ",r=" + std::to_string(cost_.r)
         + ",p=" + std::to_string(cost_.p) + '$' + in_base64(salt_) + '$' + in_base64(digest_);
}

bool password_hash::fits(protocol::octets password) const {
  bytes derived(digest_.empty() ? digest_size : digest_.size());
  const bool is_done = derive(password, salt_, cost_, derived);
  const bool is_same = !digest_.empty() && CRYPTO_memcmp(derived.data(), digest_.data(), digest_.size()) == 0;
  OPENSSL_cleanse(derived.data(), derived.size());
  return is_done && is_same;
}

} // namespace troupe::brokerage
