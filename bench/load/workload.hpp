// workload: the rows of `e2e`: what is sent, how, and what others published for it.
//
// Lives here: workload, workload_kind, all_workloads(), matches().
// Holds:   ids start with the number of the published workload (W40..W54); rows of our own start with
//          T. The rest of an id says the row in words: kind, version, transport, quality, payload.
//          Published figures are nanoseconds for one message that was published *and* received, over
//          TCP or TLS, on other machines (i9-9900K), by the author of the workload.
// Units:   payloads in octets, times in nanoseconds.
#pragma once

#include "../../protocol/vocabulary.hpp"
#include "../../runtime/stage.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace troupe::bench {

enum class workload_kind : std::uint8_t {
  burst,     // a fresh client; `messages` publishes started at once; all receipts and outcomes awaited
  steady,    // the same again and again by one client
  many,      // as burst, in one publish_many call
  ping,      // one message at a time: published, received, its outcome known, then the next
  sustained, // `messages` in a row with at most `window` on their way
};

enum class medium : std::uint8_t { tcp, tls, unix_socket, loopback };

struct workload {
  std::string id{};
  workload_kind kind = workload_kind::burst;
  protocol::version version = protocol::version::v5_0;
  bench::medium transport = medium::tcp;
  protocol::qos quality = protocol::qos::at_most_once;
  std::size_t payload = 10;
  std::uint32_t messages = 1'000;
  std::uint32_t window = 0; // sustained rows; a power of two
  unsigned systems = 1;     // 2: client and broker in stages of their own
  scheduler_kind scheduler = scheduler_kind::own;
  std::optional<double> published{};
  bool in_demo = false; // what `./dev demo` shows
  bool in_short = true; // false: only with --full
};

/// Every row, in the order in which they are run.
std::vector<workload> all_workloads();

/// Whether `text` fits `pattern`; `*` stands for any text, `?` for any one character.
bool matches(std::string_view pattern, std::string_view text) noexcept;

std::string_view name(workload_kind kind) noexcept;
std::string_view name(medium transport) noexcept;
std::string_view name(scheduler_kind scheduler) noexcept;
/// "5.0" or "3.1.1".
std::string_view name(protocol::version version) noexcept;
/// "10B", "1KB", "1MB".
std::string payload_name(std::size_t payload);

} // namespace troupe::bench
