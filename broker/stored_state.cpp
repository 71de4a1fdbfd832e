#include "stored_state.hpp"

#include "group_table.hpp"
#include "packing.hpp"
#include "registry.hpp"

#include "../protocol/publish.hpp"
#include "../protocol/topic.hpp"
#include "../runtime/record_error.hpp"

#include <algorithm>
#include <set>

namespace troupe::brokerage {

using protocol::qos;

namespace {

constexpr unsigned owner_shift = 56; // of session and message numbers: their upper octet is a shard's + 1

std::string padded(std::string_view frame) {
  std::string text;
  text.reserve(frame.size() + protocol::read_slack);
  text.append(frame).append(protocol::read_slack, '\0');
  text.resize(frame.size()); // the slack stays allocated behind it
  return text;
}

bool is_publish(std::string_view frame) {
  const auto octets = protocol::as_octets(frame);
  std::size_t at = 1;
  std::size_t length = 0;
  for (unsigned shift = 0; at < octets.size() && shift < 28U; shift += 7U) {
    length |= static_cast<std::size_t>(octets[at] & 0x7FU) << shift;
    if ((octets[at++] & 0x80U) == 0) break;
  }
  return !octets.empty() && octets.size() - std::min(at, octets.size()) == length
         && protocol::decode_publish(octets[0], octets.subspan(at), protocol::version::v5_0,
                                     protocol::role::server);
}

/// The $share group of `member` that a message about `topic` came by; empty: it has left it.
std::string_view group_of(const stored_session& member, std::string_view topic) {
  for (const auto& [text, how] : member.filters)
    if (protocol::is_shared(text) && protocol::matches(protocol::split_shared(text).filter, topic))
      return text;
  return {};
}

} // namespace

/// Reads records, then tidies up what they say.
class state_reader {
public:
  state_reader(stored_state& into, shard_number shards) : into_{into}, shards_{shards} {}

  bool take(std::string_view key, std::string_view value);
  /// What has to be changed in the records.
  runtime::change_set tidy();

private:
  bool take_message(record_reader& key, record_reader& value);
  bool take_session(record_reader& key, record_reader& value);
  bool take_part(stored_session& of, char kind, record_reader& key, record_reader& value);
  bool take_word(record_reader& key, record_reader& value);
  static void note(stored_state::numbers& of, std::uint64_t number) {
    std::uint64_t& last = of[static_cast<shard_number>(number >> owner_shift) - 1];
    last = std::max(last, number);
  }

  void end_sessions();
  void give_away(const stored_session& ended);
  void keep_will(session_number of, stored_message will);
  void give(std::uint64_t message, const protocol::publish& packet, std::string_view group);
  void drop_strays();
  void place_sessions();
  void number_groups();
  void part_messages();
  void drop_unused_messages();
  void write(const stored_session& of, const stored_delivery& what);
  void erase(session_number session);

  stored_state& into_;
  shard_number shards_;
  runtime::change_set changes_{};
  record_writer key_{};
  record_writer value_{};
};

bool state_reader::take(std::string_view key_text, std::string_view value_text) {
  record_reader key{key_text};
  record_reader value{value_text};
  switch (key.letter()) {
  case record_kind::message: return take_message(key, value);
  case record_kind::session: return take_session(key, value);
  case record_kind::word: return take_word(key, value);
  default: return false;
  }
}

bool state_reader::take_message(record_reader& key, record_reader& value) {
  const std::uint64_t number = key.number(8);
  stored_message& made = into_.messages[number];
  made.received = static_cast<wall_moment>(value.number(8));
  made.frame = padded(value.rest());
  note(into_.last_messages_, number);
  return key.ok() && value.ok() && is_publish(made.frame);
}

bool state_reader::take_word(record_reader& key, record_reader& value) {
  stored_word made;
  made.when.count = value.number(8);
  made.when.shard = static_cast<std::uint32_t>(value.number(4));
  made.message.received = static_cast<wall_moment>(value.number(8));
  made.message.frame = padded(value.rest());
  into_.words.push_back(std::move(made));
  return key.ok() && value.ok() && is_publish(into_.words.back().message.frame);
}

bool state_reader::take_session(record_reader& key, record_reader& value) {
  const session_number number = key.number(8);
  const char kind = key.letter();
  if (!key.ok()) return false;
  if (into_.sessions.empty() || into_.sessions.back().number != number) {
    into_.sessions.push_back({.number = number});
    note(into_.last_sessions_, number);
  }
  return take_part(into_.sessions.back(), kind, key, value);
}

bool state_reader::take_part(stored_session& of, char kind, record_reader& key, record_reader& value) {
  switch (kind) {
  case record_kind::head: {
    const session_record head = read_session(value);
    of.expiry = head.expiry;
    of.ends = head.ends;
    of.client_id = head.client_id;
    break;
  }
  case record_kind::filter: of.filters.emplace_back(key.rest(), read_grant(value)); break;
  case record_kind::delivery: {
    stored_delivery& made = of.deliveries.emplace_back();
    made.sequence = key.number(8);
    made.what = read_delivery(value, made.identifiers);
    break;
  }
  case record_kind::receipt: of.receipts.push_back(static_cast<protocol::packet_id>(key.number(2))); break;
  case record_kind::will: {
    stored_will& made = of.will.emplace();
    made.due = static_cast<wall_moment>(value.number(8));
    made.delay = static_cast<std::uint32_t>(value.number(4));
    made.message.received = static_cast<wall_moment>(value.number(8));
    made.message.frame = padded(value.rest());
    if (!is_publish(made.message.frame)) return false;
    break;
  }
  default: return false;
  }
  return key.ok() && value.ok();
}

// -- tidying up ---------------------------------------------------------------

runtime::change_set state_reader::tidy() {
  drop_strays();
  end_sessions();
  place_sessions();
  number_groups();
  part_messages();
  drop_unused_messages();
  for (stored_session& one : into_.sessions)
    std::stable_sort(one.deliveries.begin(), one.deliveries.end(), [](const auto& a, const auto& b) {
      return a.what.rank < b.what.rank; // released ones have ranks, and come behind
    });
  return std::move(changes_);
}

/// Deliveries whose message is not there: none should be.
void state_reader::drop_strays() {
  for (stored_session& session : into_.sessions)
    std::erase_if(session.deliveries,
                  [&](const stored_delivery& one) { return !into_.messages.contains(one.what.message); });
}

/// Those that ended with their connection, in the end of the process or before it.
void state_reader::end_sessions() {
  std::vector<stored_session> ended;
  const auto lives = [](const stored_session& one) { return one.expiry != 0; };
  const auto first = std::stable_partition(into_.sessions.begin(), into_.sessions.end(), lives);
  std::move(first, into_.sessions.end(), std::back_inserter(ended));
  into_.sessions.erase(first, into_.sessions.end());
  for (stored_session& one : ended) {
    give_away(one);
    erase(one.number);
    if (one.will) keep_will(one.number, std::move(one.will->message));
  }
}

/// What it had not begun to take goes to others of the group that had chosen it, as if all were away.
void state_reader::give_away(const stored_session& ended) {
  for (const stored_delivery& one : ended.deliveries) {
    const bool is_begun = one.what.where != delivery_record::stage::waiting;
    if (!one.what.is_shared || (is_begun && one.what.quality == qos::exactly_once))
      continue; // [MQTT-4.8.2-5]
    for_each_publish(protocol::as_octets(into_.messages.at(one.what.message).frame), protocol::version::v5_0,
                     [&](const protocol::publish& packet, protocol::octets) {
                       const std::string_view group = group_of(ended, packet.topic);
                       if (!group.empty()) give(one.what.message, packet, group);
                     });
  }
}

/// To the first member that keeps messages while it is away.
void state_reader::give(std::uint64_t message, const protocol::publish& packet, std::string_view group) {
  for (stored_session& other : into_.sessions) {
    const auto its = std::find_if(other.filters.begin(), other.filters.end(),
                                  [&](const auto& one) { return one.first == group; });
    if (its == other.filters.end()) continue;
    const grant& how = its->second;
    const qos quality = std::min(packet.quality, how.quality);
    if (quality == qos::at_most_once) continue;
    stored_delivery given{.sequence = other.deliveries.empty() ? 1 : other.deliveries.back().sequence + 1,
                          .what = {.message = message,
                                   .quality = quality,
                                   .retain = packet.retain && how.retain_as_published,
                                   .is_shared = true}};
    if (how.identifier != 0) given.identifiers = {how.identifier};
    write(other, given);
    other.deliveries.push_back(std::move(given));
    return;
  }
}

/// Its record goes when it has been said.
void state_reader::keep_will(session_number of, stored_message will) {
  value_.anew().number(static_cast<std::uint64_t>(will.received), 8).number(0, 4);
  value_.number(static_cast<std::uint64_t>(will.received), 8).text(will.frame);
  changes_.put(key_of_session(key_, of).letter(record_kind::will).written(), value_.written());
  into_.wills.emplace_back(of, std::move(will));
}

void state_reader::place_sessions() {
  for (stored_session& one : into_.sessions) one.shard = registry::of(one.client_id, shards_);
}

/// In the order in which their owners will make them, see restore().
void state_reader::number_groups() {
  for (const stored_session& session : into_.sessions)
    for (const auto& [filter, how] : session.filters)
      if (protocol::is_shared(filter)) into_.groups.emplace(filter, 0);
  std::unordered_map<shard_number, std::uint32_t> counts;
  for (auto& [name, number] : into_.groups) {
    const shard_number owner = group_table::owner_of(name, shards_);
    number = group_table::number_of(owner, ++counts[owner]);
  }
}

void state_reader::part_messages() {
  std::unordered_map<std::uint64_t, std::unordered_map<shard_number, std::uint64_t>> homes;
  for (stored_session& session : into_.sessions) {
    for (stored_delivery& one : session.deliveries) {
      auto& known = homes[one.what.message];
      if (known.empty()) known.emplace(session.shard, one.what.message);
      const auto [home, is_new] = known.try_emplace(session.shard, 0);
      if (is_new) {
        std::uint64_t& last = into_.last_messages_[session.shard];
        if (last == 0) last = std::uint64_t{session.shard + 1} << owner_shift;
        home->second = ++last;
        const stored_message copy = into_.messages[one.what.message];
        value_.anew().number(static_cast<std::uint64_t>(copy.received), 8).text(copy.frame);
        changes_.put(key_of_message(key_, last).written(), value_.written());
        into_.messages[last] = {copy.received, padded(copy.frame)};
      }
      if (home->second == one.what.message) continue;
      one.what.message = home->second;
      write(session, one);
    }
  }
}

void state_reader::drop_unused_messages() {
  std::set<std::uint64_t> used;
  for (const stored_session& session : into_.sessions)
    for (const stored_delivery& one : session.deliveries) used.insert(one.what.message);
  std::erase_if(into_.messages, [&](const auto& one) {
    if (used.contains(one.first)) return false;
    changes_.erase(key_of_message(key_, one.first).written());
    return true;
  });
}

void state_reader::write(const stored_session& of, const stored_delivery& what) {
  brokerage::write(value_, what.what, what.identifiers);
  changes_.put(
      key_of_session(key_, of.number).letter(record_kind::delivery).number(what.sequence, 8).written(),
      value_.written());
}

void state_reader::erase(session_number session) {
  changes_.erase_prefix(key_of_session(key_, session).written());
}

protocol::result<std::shared_ptr<const stored_state>> stored_state::read(runtime::record_store& records,
                                                                         shard_number shards) {
  auto made = std::make_shared<stored_state>();
  state_reader reader{*made, shards};
  bool is_legible = true;
  const auto error = records.for_each(
      [&](std::string_view key, std::string_view value) { is_legible &= reader.take(key, value); });
  if (error) return error;
  if (!is_legible) return std::error_code{runtime::record_errc::corrupt};
  runtime::change_set changes = reader.tidy();
  if (!changes.empty()) records.submit(changes, nullptr); // before everything that shards write
  return std::shared_ptr<const stored_state>{std::move(made)};
}

} // namespace troupe::brokerage
