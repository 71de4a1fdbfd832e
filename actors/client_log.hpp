// client_log: what a client says in the log: one line per event, in the form key=value.
//
// Lives here: client_event (numbers that stay what they are), event_line.
// Holds:   `event=3 name=connected client="c" resumed=false`: number and name first, then what belongs to
//          it. Texts stand in quotation marks, with \" and \\ inside and control characters as \xNN, so
//          that a line is one line whatever a peer says. Passwords are in no event.
// Threads: anybody.
// Costs:   without a sink one comparison; nothing is put together then. No event is said per message.
#pragma once

#include "../runtime/log.hpp"

#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>

namespace troupe {

enum class client_event : std::uint16_t {
  dialling = 1,    // broker, attempt
  handshaking = 2, // broker: the transport stands
  connected = 3,   // broker, resumed, took_us
  waiting = 4,     // broker, why, failures, wait_ms: an attempt failed or a connection was lost
  ending = 5,      // the user wants an end
  ended = 6,       // it has been reached
  faulted = 7,     // why: nothing will be tried any more
  redirected = 8,  // broker, to, why, hops: another broker is dialled at once
};

std::string_view name(client_event what) noexcept;

namespace actors {

class event_line {
public:
  event_line(client_event what, std::string_view client);

  event_line& say(std::string_view key, std::string_view text);
  event_line& say(std::string_view key, const char* text) { return say(key, std::string_view{text}); }
  event_line& say(std::string_view key, bool value) { return say_bare(key, value ? "true" : "false"); }
  template <std::integral Number>
    requires(!std::same_as<Number, bool>)
  event_line& say(std::string_view key, Number value) { return say_bare(key, std::to_string(value)); }
  std::string_view text() const noexcept { return text_; }

private:
  event_line& say_bare(std::string_view key, std::string_view value);
  std::string text_;
};

/// `fill(event_line&)` is called when somebody reads the log.
template <class Fill>
void say(const runtime::logger& log, log_level level, client_event what, std::string_view client, Fill fill) {
  if (!log.is_on()) return;
  event_line line{what, client};
  fill(line);
  log.line(level, "client", line.text());
}

} // namespace actors
} // namespace troupe
