#include "client_mail.hpp"

#include "../protocol/errc.hpp"

#include <caf/actor_system_config.hpp>
#include <caf/deep_to_string.hpp>
#include <caf/make_message.hpp>

#include <cstring>

namespace troupe::mail {

namespace {

using protocol::octet;
using protocol::octets;

constexpr std::uint8_t quality_mask = 0x03;
constexpr std::uint8_t retained_flag = 0x04;
constexpr std::uint8_t duplicate_flag = 0x08;

std::string text_of(octets from) { return std::string{protocol::as_text(from)}; }

/// Octets as properties of a PUBLISH; `room` keeps what the answer points at.
protocol::properties_view view_of(const std::string& from, std::vector<octet>& room) {
  room.assign(from.size() + protocol::read_slack, octet{0});
  if (!from.empty()) std::memcpy(room.data(), from.data(), from.size());
  const auto seen =
      protocol::validate_properties({room.data(), from.size()}, protocol::property_place::publish_to_client);
  return seen ? *seen : protocol::properties_view{};
}

} // namespace

std::vector<flat_message> flatten(const std::vector<message>& list) {
  std::vector<flat_message> result;
  result.reserve(list.size());
  for (const message& each : list) {
    const unsigned flags = static_cast<unsigned>(each.quality()) | (each.retained() ? retained_flag : 0U)
                           | (each.duplicate() ? duplicate_flag : 0U);
    result.push_back({std::string{each.topic()}, std::string{each.text()}, text_of(each.properties().block()),
                      static_cast<std::uint8_t>(flags)});
  }
  return result;
}

std::vector<message> raise(const std::vector<flat_message>& list) {
  std::vector<message> result;
  result.reserve(list.size());
  std::vector<octet> room;
  for (const flat_message& each : list) {
    protocol::publish packet;
    packet.topic = each.topic;
    packet.payload = protocol::as_octets(each.payload);
    packet.properties = view_of(each.properties, room);
    const unsigned quality = each.flags & quality_mask;
    packet.quality = quality > 2 ? qos::at_most_once : static_cast<qos>(quality);
    packet.retain = (each.flags & retained_flag) != 0;
    packet.dup = (each.flags & duplicate_flag) != 0;
    result.push_back(message{packet, nullptr}.clone());
  }
  return result;
}

std::string as_text(const protocol::property_block& properties) { return text_of(properties.view().block()); }

protocol::property_block as_properties(const std::string& from) {
  std::vector<octet> room;
  return protocol::property_block{view_of(from, room)};
}

bool is_answer(const outcome& how) noexcept { return !how.error(); }

caf::error as_error(std::error_code error) {
  const bool is_ours = error.category() == protocol::errc_category();
  const auto value = static_cast<unsigned>(error.value());
  const auto code = static_cast<std::uint8_t>(value == 0 || value > 255 ? 255 : value);
  return {code, is_ours ? client_error : system_error, caf::make_message(error.message())};
}

void add_client_mail(caf::actor_system_config& config) {
  config.add_message_types<caf::id_block::troupe>();
  const auto render = [](std::uint8_t, caf::atom_value, const caf::message& context) {
    return context.match_elements<std::string>() ? "mqtt: " + context.get_as<std::string>(0)
                                                 : "mqtt: " + caf::deep_to_string(context);
  };
  config.add_error_category(client_error, render);
  config.add_error_category(system_error, render);
}

} // namespace troupe::mail
