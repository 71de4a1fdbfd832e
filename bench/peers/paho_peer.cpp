// Paho's asynchronous C client (MQTTAsync) with its own threads and MQTT 5.0.
#include "awaited_answer.hpp"
#include "peer_client.hpp"

#ifdef TROUPE_HAS_PAHO

#include <MQTTAsync.h>

namespace troupe::bench::peers {
namespace {

class paho_peer final : public peer_client {
public:
  paho_peer() = default;
  ~paho_peer() override {
    if (user_ == nullptr) return;
    MQTTAsync_disconnectOptions how = MQTTAsync_disconnectOptions_initializer5;
    await_answer(how);
    if (MQTTAsync_disconnect(user_, &how) == MQTTASYNC_SUCCESS) static_cast<void>(answer_.is_good());
    MQTTAsync_destroy(&user_);
  }
  paho_peer(const paho_peer&) = delete;
  paho_peer& operator=(const paho_peer&) = delete;

  bool connect(const peer_address& where) override {
    const std::string uri = "tcp://" + where.host + ':' + std::to_string(where.port);
    MQTTAsync_createOptions made = MQTTAsync_createOptions_initializer5;
    made.maxBufferedMessages = 1'000'000; // by itself it refuses the 101st that waits; it is to take a batch
    if (MQTTAsync_createWithOptions(&user_, uri.c_str(), where.client_id.c_str(), MQTTCLIENT_PERSISTENCE_NONE,
                                    nullptr, &made)
        != MQTTASYNC_SUCCESS)
      return false;
    MQTTAsync_setCallbacks(
        user_, this, nullptr,
        [](void* self, char* topic, int, MQTTAsync_message* message) {
          static_cast<paho_peer*>(self)->count_receipt();
          MQTTAsync_freeMessage(&message);
          MQTTAsync_free(topic);
          return 1;
        },
        nullptr);
    MQTTAsync_connectOptions how = MQTTAsync_connectOptions_initializer5;
    how.keepAliveInterval = 60;
    how.cleanstart = 1;
    if (where.is_uncapped) how.maxInflight = 65'535;
    await_answer(how);
    return MQTTAsync_connect(user_, &how) == MQTTASYNC_SUCCESS && answer_.is_good();
  }

  bool subscribe(const std::string& topic, int quality) override {
    MQTTAsync_responseOptions how = MQTTAsync_responseOptions_initializer;
    await_answer(how);
    return MQTTAsync_subscribe(user_, topic.c_str(), quality, &how) == MQTTASYNC_SUCCESS && answer_.is_good();
  }

  bool publish(const std::string& topic, std::string_view payload, int quality) override {
    MQTTAsync_responseOptions how = MQTTAsync_responseOptions_initializer;
    how.context = this;
    how.onSuccess5 = [](void* self, MQTTAsync_successData5*) {
      static_cast<paho_peer*>(self)->count_end(true);
    };
    how.onFailure5 = [](void* self, MQTTAsync_failureData5*) {
      static_cast<paho_peer*>(self)->count_end(false);
    };
    return MQTTAsync_send(user_, topic.c_str(), static_cast<int>(payload.size()), payload.data(), quality, 0,
                          &how)
           == MQTTASYNC_SUCCESS;
  }

private:
  template <class Options>
  void await_answer(Options& how) noexcept {
    how.context = this;
    how.onSuccess5 = [](void* self, MQTTAsync_successData5*) {
      static_cast<paho_peer*>(self)->answer_.tell(true);
    };
    how.onFailure5 = [](void* self, MQTTAsync_failureData5*) {
      static_cast<paho_peer*>(self)->answer_.tell(false);
    };
    answer_.expect();
  }

  MQTTAsync user_ = nullptr;
  awaited_answer answer_;
};

} // namespace

std::unique_ptr<peer_client> make_paho() { return std::make_unique<paho_peer>(); }

} // namespace troupe::bench::peers

#else

namespace troupe::bench::peers {
std::unique_ptr<peer_client> make_paho() { return nullptr; }
} // namespace troupe::bench::peers

#endif
