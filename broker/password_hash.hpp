// password_hash: a password that can be recognised and not be read.
//
// Lives here: password_hash: scrypt's result with the salt and the cost it was made with; how it is written.
// Holds:   written as "$scrypt$ln=14,r=8,p=1$<salt>$<digest>" (PHC), base64 without padding. What would
//          take more than most_memory is not accepted from a file.
// Threads: values.
// Errors:  what cannot be read is no value.
// Costs:   make and fits: about 50 ms and 16 MB at the usual cost. Comparing takes the same time whatever
//          differs.
#pragma once

#include "../protocol/slice.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace troupe::brokerage {

struct scrypt_cost {
  unsigned log_n = 14; // rounds and memory, doubled by each step
  unsigned r = 8;      // size of a block
  unsigned p = 1;      // how often

  friend bool operator==(const scrypt_cost&, const scrypt_cost&) = default;
};

class password_hash {
public:
  static constexpr std::size_t most_memory = std::size_t{256} << 20U;

  /// With a salt from the system's source of chance; nothing when there is none, or no memory.
  static std::optional<password_hash> make(protocol::octets password, scrypt_cost cost = {});
  static std::optional<password_hash> parse(std::string_view text);
  /// One that no password fits and that costs as much to compare: for names that nobody has.
  static password_hash of_nobody(scrypt_cost cost = {});

  std::string text() const;
  bool fits(protocol::octets password) const;
  scrypt_cost cost() const noexcept { return cost_; }

private:
  password_hash(scrypt_cost cost, std::vector<std::uint8_t> salt, std::vector<std::uint8_t> digest)
      : cost_{cost}, salt_{std::move(salt)}, digest_{std::move(digest)} {}

  scrypt_cost cost_;
  std::vector<std::uint8_t> salt_;
  std::vector<std::uint8_t> digest_;
};

} // namespace troupe::brokerage
