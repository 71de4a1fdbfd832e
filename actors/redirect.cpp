#include "redirect.hpp"

#include <optional>
#include <string>
#include <utility>

namespace troupe {

namespace {

using runtime::endpoint;
using runtime::endpoint_kind;

constexpr std::size_t most_references = 8;

class redirect_category final : public std::error_category {
public:
  const char* name() const noexcept override { return "troupe.redirect"; }
  std::string message(int code) const override {
    switch (static_cast<redirect_errc>(code)) {
    case redirect_errc::use_another_server: return "the broker asks to use another server";
    case redirect_errc::server_moved: return "the broker has moved to another server";
    case redirect_errc::no_usable_reference: return "the broker refers to no server that may be dialled";
    case redirect_errc::too_many: return "brokers refer to each other without end";
    }
    return "unknown redirect error";
  }
};

/// Of whoever dials `from`; a socket of this machine says nothing about a way through the network.
std::string_view scheme_like(endpoint_kind from) noexcept {
  switch (from) {
  case endpoint_kind::tls: return "mqtts://";
  case endpoint_kind::websocket: return "ws://";
  case endpoint_kind::secure_websocket: return "wss://";
  default: return "mqtt://";
  }
}

std::optional<endpoint> reference_of(std::string_view word, const endpoint& from) {
  const bool is_bare = word.find("://") == std::string_view::npos;
  std::string text{is_bare ? scheme_like(from.kind) : std::string_view{}};
  text += word;
  auto to = runtime::parse_endpoint(text);
  if (!to) return std::nullopt;
  if (from.is_remote() && !to->is_remote()) return std::nullopt;
  if (from.is_secure() && !to->is_secure()) return std::nullopt;
  if (to->is_remote() && to->port == 0) return std::nullopt;
  to->user.clear();
  to->password.clear();
  if (is_bare && from.is_web() && word.find('/') == std::string_view::npos) to->path = from.path;
  return std::move(*to);
}

} // namespace

std::error_code make_error_code(redirect_errc code) noexcept {
  static const redirect_category category;
  return {static_cast<int>(code), category};
}

namespace actors {

std::vector<endpoint> references_of(std::string_view text, const endpoint& from) {
  std::vector<endpoint> found;
  while (!text.empty() && found.size() != most_references) {
    const std::string_view word = text.substr(0, text.find(' '));
    text.remove_prefix(word.size());
    if (!text.empty()) text.remove_prefix(1);
    if (word.empty()) continue;
    if (auto to = reference_of(word, from)) found.push_back(std::move(*to));
  }
  return found;
}

} // namespace actors
} // namespace troupe
