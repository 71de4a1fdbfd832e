#include "outcome.hpp"

namespace troupe {

std::string outcome::text() const {
  if (error_) return error_.message();
  return std::string{protocol::name(reason_)};
}

} // namespace troupe
