// bridge_hooks: what a bridge hears of the remote broker, beside the user's own hooks.
//
// Lives here: bridge_hooks.
// Holds:   everything is handed on to the user's hooks, if there are any. The last CONNACK says who the remote
//          broker is and what it takes.
// Threads: called on the client's home; as_taken() on any.
#pragma once

#include "bridge.hpp"

#include <atomic>
#include <functional>
#include <memory>
#include <string>

namespace troupe::brokerage {

class bridge_hooks final : public client_hooks {
public:
  /// Is told what the remote broker calls itself; empty: it does not say.
  using recogniser = std::function<void(const std::string& id)>;

  bridge_hooks(std::shared_ptr<client_hooks> users, recogniser recognise);

  /// A message as the remote broker takes it: a lower quality, not retained, without properties.
  protocol::publish as_taken(protocol::publish what, version spoken) const noexcept;

  void on_connect(connect_details& details) override;
  void on_connack(const protocol::connack& packet) override;
  void on_farewell(protocol::reason_code why, protocol::properties_view properties) override;
  void on_up(const broker_capabilities& what, bool is_resumed) override;
  std::optional<birth_message> on_birth() override;
  void on_down(std::error_code why) override;
  retry_answer on_retry(const retry_question& question) override;
  std::optional<auth_step> on_auth(const auth_step& step) override;
  bool sees_octets() const override { return users_ != nullptr && users_->sees_octets(); }
  void on_octets(direction way, protocol::octets what) override;

private:
  const std::shared_ptr<client_hooks> users_; // null: there are none
  const recogniser recognise_;
  std::atomic<qos> maximum_{qos::exactly_once}; // these two written by on_up, read by as_taken
  std::atomic<bool> keeps_{true};
};

} // namespace troupe::brokerage
