// A user's program: own protocol/packet.hpp, a stage and a client, nothing listening.
#include "protocol/packet.hpp"

#include <troupe/actors/client.hpp>

int main() {
  own_packet packet;
  troupe::stage stage;
  troupe::client client{stage, {.broker = "mqtt://127.0.0.1:1", .client_id = "consumer"}};
  return packet.value - 1;
}
