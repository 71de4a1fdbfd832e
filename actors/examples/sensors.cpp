// Publish and subscribe, with a broker in the same process: the shortest whole program.
#include <troupe/actors/client.hpp>
#include <troupe/broker/broker.hpp>

#include <future>
#include <iostream>

int main() {
  troupe::stage stage;
  troupe::broker broker{stage};
  const auto url = broker.listen("mqtt://127.0.0.1:0");
  if (!url) return 1;

  troupe::client client{stage, {.broker = *url, .client_id = "sensors"}};
  std::promise<void> seen;
  auto temperatures =
      client.subscribe("sensors/+/temp", troupe::qos::at_least_once, [&](const troupe::message& m) {
        std::cout << m.topic() << ' ' << m.text() << '\n';
        seen.set_value();
      });
  if (!temperatures.granted().get()) return 2;
  if (!client.publish("sensors/7/temp", "21.5", troupe::qos::exactly_once).get()) return 3;
  seen.get_future().get();
  return client.disconnect().get() ? 0 : 4;
}
