// A user's program that has client and broker in one process, from the installed package.
#include <troupe/actors/client.hpp>
#include <troupe/broker/broker.hpp>

int main() {
  troupe::stage stage;
  troupe::broker broker{stage};
  troupe::client client{stage, {.broker = "mqtt://127.0.0.1:1", .client_id = "both"}};
  return 0;
}
