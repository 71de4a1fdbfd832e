// Our own client, asked by the same interface as the others.
#include "peer_client.hpp"

#include "../../actors/client.hpp"
#include "../../runtime/endpoint.hpp"
#include "../../runtime/stage.hpp"

#include <list>
#include <optional>

namespace troupe::bench::peers {
namespace {

class troupe_peer final : public peer_client {
public:
  bool connect(const peer_address& where) override {
    client_options options;
    options.broker = "mqtt://" + runtime::authority(where.host, where.port);
    options.client_id = where.client_id;
    options.reconnect = false;
    options.dial_at_once = false;
    user_.emplace(stage_, options);
    return user_->connect().get().ok();
  }

  bool subscribe(const std::string& topic, int quality) override {
    interests_.push_back(
        user_->subscribe(topic, static_cast<qos>(quality), [this](const message&) { count_receipt(); }));
    return interests_.back().granted().get().ok();
  }

  bool publish(const std::string& topic, std::string_view payload, int quality) override {
    user_->publish(topic, payload, static_cast<qos>(quality),
                   [this](const outcome& how) { count_end(how.ok()); });
    return true;
  }

private:
  stage stage_;
  std::optional<client> user_;
  std::list<subscription> interests_;
};

} // namespace

std::unique_ptr<peer_client> make_troupe() { return std::make_unique<troupe_peer>(); }

} // namespace troupe::bench::peers
