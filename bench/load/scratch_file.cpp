#include "scratch_file.hpp"

#include <fcntl.h>
#include <unistd.h>

namespace troupe::bench {

scratch_file::scratch_file(std::string_view purpose, std::string_view text) : folder_{purpose} {
  if (!folder_.is_made()) return;
  name_ = folder_.file(purpose);
  const int file = ::open(name_.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, S_IRUSR | S_IWUSR);
  if (file < 0) return;
  is_whole_ = ::write(file, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  ::close(file);
}

} // namespace troupe::bench
