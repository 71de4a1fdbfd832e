#include "properties.hpp"
#include "utf8.hpp"
#include "wire_writer.hpp"

namespace troupe::protocol {

namespace {

constexpr std::size_t longest = 65'535;
constexpr std::uint64_t repeated = 1; // see properties_view::seen

std::uint64_t bit(property id) noexcept { return std::uint64_t{1} << static_cast<unsigned>(id); }

bool fits(property_form form, std::uint32_t value) noexcept {
  switch (form) {
  case property_form::flag: return value <= 1;
  case property_form::two_bytes: return value <= longest;
  case property_form::two_bytes_above_zero: return value != 0 && value <= longest;
  case property_form::four_bytes: return true;
  case property_form::four_bytes_above_zero: return value != 0;
  case property_form::variable_above_zero: return value != 0 && value <= max_remaining_length;
  default: return false;
  }
}

bool fits(property_form form, std::string_view text) noexcept {
  if (text.size() > longest) return false;
  switch (form) {
  case property_form::text: return is_text_exact(as_octets(text));
  case property_form::topic_name:
    return !text.empty() && find_topic_fault_exact(as_octets(text)) == text_fault::none;
  case property_form::binary: return true;
  default: return false;
  }
}

octet* append(std::vector<octet>& bytes, std::size_t count) {
  const std::size_t before = bytes.size();
  bytes.resize(before + count);
  return bytes.data() + before;
}

void append_number(std::vector<octet>& bytes, property id, std::uint32_t value) {
  const property_form form = form_of(id);
  std::size_t size = 1 + variable_size(value);
  if (form == property_form::flag)
    size = 2;
  else if (form == property_form::two_bytes || form == property_form::two_bytes_above_zero)
    size = 3;
  else if (form == property_form::four_bytes || form == property_form::four_bytes_above_zero)
    size = 5;
  wire_writer to{append(bytes, size)};
  to.write_byte(static_cast<octet>(id));
  if (form == property_form::variable_above_zero)
    to.write_variable(value);
  else if (size == 2)
    to.write_byte(static_cast<octet>(value));
  else if (size == 3)
    to.write_two_bytes(static_cast<std::uint16_t>(value));
  else
    to.write_four_bytes(value);
}

void append_binary(std::vector<octet>& bytes, property id, octets value) {
  wire_writer to{append(bytes, 3 + value.size())};
  to.write_byte(static_cast<octet>(id));
  to.write_binary(value);
}

} // namespace

void property_block::assign(properties_view source) {
  const octets from = source.block();
  bytes_.assign(from.begin(), from.end());
  seen_ = source.seen();
}

result<void> property_block::set(property id, std::uint32_t value) {
  if (!fits(form_of(id), value)) return errc::property_value;
  remove(id);
  append_number(bytes_, id, value);
  seen_ |= bit(id);
  return {};
}

result<void> property_block::set(property id, std::string_view text) {
  if (!fits(form_of(id), text)) return errc::property_value;
  remove(id);
  append_binary(bytes_, id, as_octets(text));
  seen_ |= bit(id);
  return {};
}

result<void> property_block::set(property id, octets binary) {
  if (form_of(id) != property_form::binary || binary.size() > longest) return errc::property_value;
  remove(id);
  append_binary(bytes_, id, binary);
  seen_ |= bit(id);
  return {};
}

result<void> property_block::add_user_property(std::string_view name, std::string_view value) {
  if (!fits(property_form::text, name) || !fits(property_form::text, value)) return errc::property_value;
  wire_writer to{append(bytes_, 5 + name.size() + value.size())};
  to.write_byte(static_cast<octet>(property::user_property));
  to.write_text(name);
  to.write_text(value);
  seen_ |= bit(property::user_property);
  return {};
}

result<void> property_block::add_subscription_identifier(std::uint32_t value) {
  if (!fits(property_form::variable_above_zero, value)) return errc::property_value;
  const std::uint64_t here = bit(property::subscription_identifier);
  append_number(bytes_, property::subscription_identifier, value);
  seen_ |= (seen_ & here) != 0 ? repeated : here;
  return {};
}

void property_block::remove(property id) {
  if ((seen_ & bit(id)) == 0) return;
  while (true) {
    const octets found = find_property(bytes_, id);
    if (found.empty()) break;
    const auto first = bytes_.begin() + (found.data() - bytes_.data());
    bytes_.erase(first, first + static_cast<std::ptrdiff_t>(found.size()));
  }
  seen_ &= ~bit(id);
  if (id == property::subscription_identifier) seen_ &= ~repeated;
}

void property_block::clear() noexcept {
  bytes_.clear();
  seen_ = 0;
}

} // namespace troupe::protocol
