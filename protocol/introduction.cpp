#include "introduction.hpp"

namespace troupe::protocol {

namespace {

result<property_block> connect_properties(const client_machine_options& options) {
  property_block block = options.connect_properties;
  result<void> all;
  const auto announce = [&](property id, std::uint32_t value, std::uint32_t usual) {
    if (all && value != usual) all = block.set(id, value);
  };
  announce(property::session_expiry_interval, static_cast<std::uint32_t>(options.session_expiry.count()), 0);
  announce(property::receive_maximum, options.receive_maximum, 65'535);
  announce(property::maximum_packet_size, options.maximum_packet_size, max_packet_size);
  announce(property::topic_alias_maximum, options.topic_alias_maximum, 0);
  if (!all) return all.error();
  return block;
}

} // namespace

result<void> write_connect(outbox& out, const client_machine_options& options, std::string_view client_id,
                           bool clean_start) {
  constexpr std::int64_t longest_keep_alive = 65'535;
  constexpr std::int64_t never_expires = 0xFFFF'FFFF;
  if (options.keep_alive.count() < 0 || options.keep_alive.count() > longest_keep_alive
      || options.session_expiry.count() < 0 || options.session_expiry.count() > never_expires)
    return errc::bad_settings;
  if (options.protocol == version::v3_1_1 && !options.connect_properties.empty())
    return errc::version_mismatch;
  connect packet{.protocol = options.protocol,
                 .clean_start = clean_start,
                 .keep_alive = static_cast<std::uint16_t>(options.keep_alive.count()),
                 .client_id = client_id};
  if (options.user_name) packet.user_name = *options.user_name;
  if (options.password) packet.password = octets{*options.password};
  if (options.will)
    packet.will = will_view{.topic = options.will->topic,
                            .payload = octets{options.will->payload},
                            .properties = options.will->properties.view(),
                            .quality = options.will->quality,
                            .retain = options.will->retain};
  if (options.protocol == version::v3_1_1) return encode_connect(out, packet);
  const result<property_block> block = connect_properties(options);
  if (!block) return block.error();
  packet.properties = block->view();
  return encode_connect(out, packet);
}

} // namespace troupe::protocol
