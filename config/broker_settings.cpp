#include "broker_settings.hpp"

#include "../protocol/vocabulary.hpp"

#include <algorithm>
#include <iterator>

namespace troupe::config {

std::vector<field> listener_settings::fields() {
  std::vector<field> all{{.key = "url", .where = &url, .sentence = "Where to listen"}};
  append(all, "tls.", tls.fields());
  all.push_back({.key = "tls.name_is_user",
                 .where = &name_is_user,
                 .sentence = "The common name of a client's certificate becomes its user name"});
  return all;
}

std::vector<field> acl_settings::fields() {
  return {
      {.key = "user", .where = &user, .sentence = "User name; *: everybody, empty: those without"},
      {.key = "client_id", .where = &client_id, .sentence = "Client id; *: every client"},
      {.key = "topic", .where = &topic, .sentence = "Topic filter; %u and %c stand for user and client id"},
      {.key = "may",
       .where = &may,
       .sentence = "What is allowed",
       .choices = {"publish", "subscribe", "both", "nothing", "no_publish", "no_subscribe"}},
  };
}

description broker_settings::describe() {
  description all;
  all.fields = {
      {.key = "host", .where = &host, .sentence = "Where to listen, without any listener", .letter = 'h'},
      {.key = "port", .where = &port, .sentence = "Likewise; 0: any free one", .letter = 'p'},
      {.key = "allow_anonymous",
       .where = &allow_anonymous,
       .sentence = "Clients without a user name may come in"},
      {.key = "password_file",
       .where = &password_file,
       .sentence = "Users and hashed passwords; empty: names are not asked for proof"},
      {.key = "max_password_checks",
       .where = &max_password_checks,
       .sentence = "Clients that wait while passwords are checked; more are told to come later",
       .least = 1},
      {.key = "acl_default",
       .where = &acl_default,
       .sentence = "What holds where there are access rules and none fits",
       .choices = {"deny", "allow"}},
      {.key = "max_connections", .where = &max_connections, .sentence = "More are refused", .least = 1},
      {.key = "max_connects_per_second",
       .where = &max_connects_per_second,
       .sentence = "More CONNECTs are refused; 0: any number"},
      {.key = "connect_timeout",
       .where = &connect_timeout,
       .sentence = "From accepting a connection to its CONNECT",
       .least = 1},
      {.key = "max_keep_alive",
       .where = &max_keep_alive,
       .sentence = "Longest silence a client may ask for; 0: any",
       .most = 65'535'000},
      {.key = "receive_maximum",
       .where = &receive_maximum,
       .sentence = "QoS 1 and 2 messages one client may have on their way to us",
       .least = 1},
      {.key = "maximum_packet_size",
       .where = &maximum_packet_size,
       .sentence = "Larger packets are refused",
       .least = 64,
       .most = protocol::max_packet_size},
      {.key = "topic_alias_maximum",
       .where = &topic_alias_maximum,
       .sentence = "Topic aliases one client may use"},
      {.key = "retain_available",
       .where = &retain_available,
       .sentence = "Whether retained messages are kept"},
      {.key = "max_sessions",
       .where = &max_sessions,
       .sentence = "Sessions that are kept, connected or not",
       .least = 1},
      {.key = "max_session_expiry",
       .where = &max_session_expiry,
       .sentence = "Longest time a session outlives its connection; 0: as long as clients ask"},
      {.key = "max_subscriptions", .where = &max_subscriptions, .sentence = "Subscriptions of one session"},
      {.key = "max_filter_levels",
       .where = &max_filter_levels,
       .sentence = "Levels of a topic filter",
       .least = 1,
       .most = 128},
      {.key = "max_retained_messages",
       .where = &max_retained_messages,
       .sentence = "Retained messages, over all topics"},
      {.key = "max_inflight",
       .where = &max_inflight,
       .sentence = "QoS 1 and 2 messages on their way to one client",
       .least = 1},
      {.key = "max_queued_messages",
       .where = &max_queued_messages,
       .sentence = "Messages that wait for one client"},
      {.key = "max_queued_bytes", .where = &max_queued_bytes, .sentence = "Likewise, their size"},
      {.key = "when_full",
       .where = &when_full,
       .sentence = "What happens to a message for a client whose queue is full",
       .choices = {"drop_newest", "drop_oldest", "disconnect", "block"}},
      {.key = "block_timeout",
       .where = &block_timeout,
       .sentence = "How long a full queue may stop those who publish to it, when_full being block",
       .least = 1},
      {.key = "queue_qos0_offline",
       .where = &queue_qos0_offline,
       .sentence = "Whether QoS 0 messages wait for clients that are away"},
      {.key = "persistence",
       .where = &persistence,
       .sentence = "File that keeps sessions and retained messages; empty: memory alone"},
      {.key = "sys_interval",
       .where = &sys_interval,
       .sentence = "How often the figures below $SYS/broker are published; 0: never"},
      {.key = "metrics_address",
       .where = &metrics_address,
       .sentence = "Where Prometheus reads /metrics, like 127.0.0.1:9464; empty: nowhere"},
  };
  append(all.fields, "runtime.", runtime.fields());
  all.tables.push_back(table_of("listener", listeners, "url", "Where to listen; may be repeated"));
  all.tables.push_back(
      table_of("acl", acl, "topic", "A topic filter that everybody may use; may be repeated"));
  all.tables.push_back(table_of_bridges(bridges));
  return all;
}

std::vector<problem> broker_settings::check() const {
  std::vector<problem> found;
  for (const listener_settings& each : listeners) {
    if (auto wrong = misfit_of_endpoint(each.url); !wrong.empty())
      found.push_back({"", 0, "listener.url", wrong});
    auto scheme = scheme_of(each.url);
    const bool is_secure = scheme == "mqtts" || scheme == "tls" || scheme == "ssl" || scheme == "wss";
    if (is_secure && (each.tls.cert_file.empty() || each.tls.key_file.empty()))
      found.push_back({"", 0, "listener.tls", each.url + " needs cert_file and key_file"});
    if (is_secure && each.tls.verify_peer && each.tls.ca_file.empty())
      found.push_back({"", 0, "listener.tls", "verify_peer needs a ca_file: whom to trust for clients"});
    if (each.name_is_user && !each.tls.verify_peer)
      found.push_back({"", 0, "listener.tls", "name_is_user needs verify_peer"});
    if (!is_secure && each.tls.is_set())
      found.push_back({"", 0, "listener.tls", each.url + " does not use it; mqtts:// or wss:// would"});
  }
  if (host.empty()) found.push_back({"", 0, "host", "is empty"});
  const bool knows_names =
      std::ranges::any_of(listeners, [](const listener_settings& one) { return one.name_is_user; });
  if (!allow_anonymous && password_file.empty() && !knows_names)
    found.push_back({"", 0, "allow_anonymous",
                     "is off and there is neither a password_file nor a listener with"
                     " name_is_user: nobody could come in"});
  std::ranges::move(bridge_settings::check(bridges, !allow_anonymous), std::back_inserter(found));
  return found;
}

std::vector<listener_settings> broker_settings::endpoints() const {
  if (!listeners.empty()) return listeners;
  const bool is_ipv6 = host.find(':') != std::string::npos;
  return {{.url = "mqtt://" + (is_ipv6 ? '[' + host + ']' : host) + ':' + std::to_string(port)}};
}

} // namespace troupe::config
