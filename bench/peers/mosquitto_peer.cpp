// libmosquitto with its own thread (mosquitto_loop_start) and MQTT 5.0.
#include "awaited_answer.hpp"
#include "peer_client.hpp"

#ifdef TROUPE_HAS_MOSQUITTO

#include <mosquitto.h>

namespace troupe::bench::peers {
namespace {

class mosquitto_peer final : public peer_client {
public:
  mosquitto_peer() { mosquitto_lib_init(); }
  ~mosquitto_peer() override {
    if (user_ != nullptr) {
      mosquitto_disconnect(user_);
      mosquitto_loop_stop(user_, false);
      mosquitto_destroy(user_);
    }
    mosquitto_lib_cleanup();
  }
  mosquitto_peer(const mosquitto_peer&) = delete;
  mosquitto_peer& operator=(const mosquitto_peer&) = delete;

  bool connect(const peer_address& where) override {
    user_ = mosquitto_new(where.client_id.c_str(), true, this);
    if (user_ == nullptr) return false;
    mosquitto_int_option(user_, MOSQ_OPT_PROTOCOL_VERSION, MQTT_PROTOCOL_V5);
    mosquitto_int_option(user_, MOSQ_OPT_TCP_NODELAY, 1);
    if (where.is_uncapped) mosquitto_int_option(user_, MOSQ_OPT_SEND_MAXIMUM, 65'535);
    mosquitto_connect_callback_set(user_, [](mosquitto*, void* self, int code) {
      static_cast<mosquitto_peer*>(self)->answer_.tell(code == 0);
    });
    mosquitto_subscribe_callback_set(user_, [](mosquitto*, void* self, int, int count, const int* granted) {
      static_cast<mosquitto_peer*>(self)->answer_.tell(count == 1 && granted[0] < 0x80);
    });
    mosquitto_publish_v5_callback_set(user_,
                                      [](mosquitto*, void* self, int, int code, const mosquitto_property*) {
                                        static_cast<mosquitto_peer*>(self)->count_end(code < 0x80);
                                      });
    mosquitto_message_callback_set(user_, [](mosquitto*, void* self, const mosquitto_message*) {
      static_cast<mosquitto_peer*>(self)->count_receipt();
    });
    answer_.expect();
    if (mosquitto_connect(user_, where.host.c_str(), where.port, 60) != MOSQ_ERR_SUCCESS) return false;
    return mosquitto_loop_start(user_) == MOSQ_ERR_SUCCESS && answer_.is_good();
  }

  bool subscribe(const std::string& topic, int quality) override {
    answer_.expect();
    return mosquitto_subscribe(user_, nullptr, topic.c_str(), quality) == MOSQ_ERR_SUCCESS
           && answer_.is_good();
  }

  bool publish(const std::string& topic, std::string_view payload, int quality) override {
    return mosquitto_publish(user_, nullptr, topic.c_str(), static_cast<int>(payload.size()), payload.data(),
                             quality, false)
           == MOSQ_ERR_SUCCESS;
  }

private:
  mosquitto* user_ = nullptr;
  awaited_answer answer_;
};

} // namespace

std::unique_ptr<peer_client> make_mosquitto() { return std::make_unique<mosquitto_peer>(); }

} // namespace troupe::bench::peers

#else

namespace troupe::bench::peers {
std::unique_ptr<peer_client> make_mosquitto() { return nullptr; }
} // namespace troupe::bench::peers

#endif
