#include "bridge_setup.hpp"

#include "../actors/client_configuration.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <thread>

namespace troupe::brokerage {

namespace {

bridge_direction direction_of(std::string_view word) noexcept {
  if (word == "in") return bridge_direction::in;
  return word == "both" ? bridge_direction::both : bridge_direction::out;
}

bridge_overflow bridge_overflow_of(std::string_view word) noexcept {
  if (word == "drop_oldest") return bridge_overflow::drop_oldest;
  return word == "drop_newest" ? bridge_overflow::drop_newest : bridge_overflow::block;
}

bridge_map map_of(const config::bridge_map_settings& settings) {
  return {.filter = settings.filter,
          .direction = direction_of(settings.direction),
          .maximum = static_cast<protocol::qos>(settings.max_qos),
          .local_prefix = settings.local_prefix,
          .remote_prefix = settings.remote_prefix};
}

std::vector<bridge_map> maps_of(const config::bridge_settings& settings) {
  if (settings.maps.empty()) return {bridge_map{}};
  std::vector<bridge_map> all;
  for (const config::bridge_map_settings& each : settings.maps) all.push_back(map_of(each));
  return all;
}

std::optional<std::string> said(const std::string& text) {
  return text.empty() ? std::nullopt : std::optional{text};
}

} // namespace

bridge_options bridge_options_of(const std::vector<config::bridge_settings>& all, std::size_t place) {
  const config::bridge_settings& settings = all[place];
  return {.name = name_of(all, place),
          .remote = client_options_of(settings.remote),
          .maps = maps_of(settings),
          .max_queued_messages = settings.max_queued_messages,
          .max_queued_bytes = static_cast<std::size_t>(settings.max_queued_bytes.value),
          .when_full = bridge_overflow_of(settings.when_full),
          .max_inflight = settings.max_inflight,
          .keep_session = settings.keep_session,
          .local_user_name = said(settings.local_user_name),
          .local_password = said(settings.local_password),
          .notice_topic = settings.notice_topic};
}

void stop_together(bridge_list& bridges) {
  std::vector<std::jthread> stopping;
  for (const auto& each : bridges) stopping.emplace_back([&each] { each->stop(); });
}

} // namespace troupe::brokerage
