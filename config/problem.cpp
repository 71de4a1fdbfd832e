#include "problem.hpp"

namespace troupe::config {

std::string to_string(const problem& trouble) {
  std::string text = trouble.source;
  if (trouble.line != 0) text += ':' + std::to_string(trouble.line);
  if (!text.empty()) text += ": ";
  if (!trouble.key.empty()) text += trouble.key + ": ";
  return text + trouble.what;
}

} // namespace troupe::config
