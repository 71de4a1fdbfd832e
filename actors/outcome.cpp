#include "outcome.hpp"

namespace troupe {

std::string outcome::text() const {
  if (category_ != nullptr) return error().message();
  return std::string{protocol::name(reason_)};
}

} // namespace troupe
