#include "client_log.hpp"

namespace troupe {

std::string_view name(client_event what) noexcept {
  switch (what) {
  case client_event::dialling: return "dialling";
  case client_event::handshaking: return "handshaking";
  case client_event::connected: return "connected";
  case client_event::waiting: return "waiting";
  case client_event::ending: return "ending";
  case client_event::ended: return "ended";
  case client_event::faulted: return "faulted";
  case client_event::redirected: return "redirected";
  }
  return "unknown";
}

namespace actors {

event_line::event_line(client_event what, std::string_view client) {
  text_ = "event=" + std::to_string(static_cast<unsigned>(what)) + " name=";
  text_ += name(what);
  say("client", client);
}

event_line& event_line::say(std::string_view key, std::string_view text) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string quoted = "\"";
  for (const char each : text) {
    const auto octet = static_cast<unsigned char>(each);
    if (each == '"' || each == '\\') {
      quoted += '\\';
      quoted += each;
    } else if (octet < 0x20 || octet == 0x7F) {
      quoted += "\\x";
      quoted += digits[octet >> 4U];
      quoted += digits[octet & 0xFU];
    } else {
      quoted += each;
    }
  }
  quoted += '"';
  return say_bare(key, quoted);
}

event_line& event_line::say_bare(std::string_view key, std::string_view value) {
  text_ += ' ';
  text_ += key;
  text_ += '=';
  text_ += value;
  return *this;
}

} // namespace actors
} // namespace troupe
