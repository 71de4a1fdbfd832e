#include "bridge_settings.hpp"

#include "../protocol/topic.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <string_view>
#include <utility>

namespace troupe::config {

namespace {

/// What a bridge decides for itself, and what makes no sense for it.
constexpr std::array<std::string_view, 9> not_for_bridges{
    "session_file",   "reconnect",    "attempts_limit",    "dial_at_once",      "pending_items",
    "pending_octets", "publish_wait", "when_offline_full", "drop_offline_qos_0"};

bool is_for_bridges(std::string_view key) noexcept {
  return !key.starts_with("will.") && !key.starts_with("runtime.")
         && std::ranges::find(not_for_bridges, key) == not_for_bridges.end();
}

/// The key of a client as that of a bridge.
std::string renamed(std::string key) {
  if (key == "broker") return "url";
  return key == "more_brokers" ? "more_urls" : key;
}

/// One side of a map; empty: nothing is wrong.
std::string misfit_of_side(const std::string& prefix, const std::string& filter) {
  const std::string whole = prefix + filter;
  if (prefix.find_first_of("+#") != std::string::npos)
    return "a prefix has no wildcards, not '" + prefix + "'";
  if (whole.starts_with("$share/")) return "'" + whole + "' is shared: a bridge would be one member of many";
  if (!protocol::check_topic_filter(whole)) return "'" + whole + "' is no topic filter";
  return {};
}

std::string misfit_of(const bridge_map_settings& map, const std::string& version) {
  if (auto wrong = misfit_of_side(map.local_prefix, map.filter); !wrong.empty()) return wrong;
  if (auto wrong = misfit_of_side(map.remote_prefix, map.filter); !wrong.empty()) return wrong;
  if (map.direction == "both" && version == "3.1.1")
    return "both directions cannot be had in MQTT 3.1.1, where a broker hands back whatever it is told";
  return {};
}

struct judge {
  std::vector<problem>& found;
  std::string name;

  void find(const std::string& key, const std::string& what) const {
    found.push_back({"", 0, "bridge." + key, "of '" + name + "': " + what});
  }

  void look_at(const bridge_settings& each, bool needs_name) const {
    for (const problem& wrong : each.remote.check()) find(renamed(wrong.key), wrong.what);
    for (const bridge_map_settings& map : each.maps)
      if (const auto wrong = misfit_of(map, each.remote.version); !wrong.empty()) find("map", wrong);
    if (!each.notice_topic.empty() && !protocol::check_topic_name(each.notice_topic))
      find("notice_topic", "'" + each.notice_topic + "' is no topic");
    if (each.local_user_name.empty() && needs_name)
      find("local_user_name", "is missing: allow_anonymous is off, and the bridge would not come in");
  }
};

} // namespace

std::vector<field> bridge_map_settings::fields() {
  return {
      {.key = "filter", .where = &filter, .sentence = "Topics that cross, without their prefix"},
      {.key = "direction",
       .where = &direction,
       .sentence = "Seen from this broker",
       .choices = {"out", "in", "both"}},
      {.key = "max_qos", .where = &max_qos, .sentence = "Of messages that cross", .most = 2},
      {.key = "local_prefix",
       .where = &local_prefix,
       .sentence = "What such topics begin with here, slash included"},
      {.key = "remote_prefix", .where = &remote_prefix, .sentence = "And there"},
  };
}

std::vector<field> bridge_settings::own_fields() {
  return {
      {.key = "max_queued_messages",
       .where = &max_queued_messages,
       .sentence = "Messages that wait for a broker, in each direction",
       .least = 1},
      {.key = "max_queued_bytes", .where = &max_queued_bytes, .sentence = "Likewise, their size", .least = 1},
      {.key = "when_full",
       .where = &when_full,
       .sentence = "What happens to a message that finds no room",
       .choices = {"block", "drop_oldest", "drop_newest"}},
      {.key = "max_inflight",
       .where = &max_inflight,
       .sentence = "Messages handed to a broker and not finished, in each direction",
       .least = 1},
      {.key = "keep_session",
       .where = &keep_session,
       .sentence = "Whether our own broker keeps messages for the bridge while it is not there"},
      {.key = "local_user_name",
       .where = &local_user_name,
       .sentence = "As whom it comes to our own broker; empty: without a name"},
      {.key = "local_password", .where = &local_password, .sentence = "Likewise"},
      {.key = "notice_topic",
       .where = &notice_topic,
       .sentence = "Where our own broker says, retained, 1 or 0: the remote one is there or not"},
  };
}

std::vector<field> bridge_settings::fields() {
  std::vector<field> all{
      {.key = "name",
       .where = &name,
       .sentence = "Its client id at our own broker is bridge- and this; empty: its number, from 1"}};
  for (field& each : remote.describe().fields)
    if (is_for_bridges(each.key)) {
      each.key = renamed(std::move(each.key));
      each.letter = 0;
      all.push_back(std::move(each));
    }
  append(all, "", own_fields());
  return all;
}

std::vector<problem> bridge_settings::check(const std::vector<bridge_settings>& all, bool needs_name) {
  std::vector<problem> found;
  std::set<std::string> names;
  for (std::size_t place = 0; place != all.size(); ++place) {
    const judge one{found, name_of(all, place)};
    one.look_at(all[place], needs_name);
    if (!names.insert(one.name).second) one.find("name", "another bridge has it");
  }
  return found;
}

std::string name_of(const std::vector<bridge_settings>& all, std::size_t place) {
  return all[place].name.empty() ? std::to_string(place + 1) : all[place].name;
}

table table_of_bridges(std::vector<bridge_settings>& all) {
  table result = table_of("bridge", all, "url",
                          "A broker to which everything that is published here goes; may be repeated");
  result.within = [&all](std::size_t place) {
    return std::vector{table_of("map", all[place].maps, "filter", "Topics that cross the bridge")};
  };
  return result;
}

} // namespace troupe::config
