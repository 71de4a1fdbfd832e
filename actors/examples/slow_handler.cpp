// A handler that blocks, on a thread of its own, acknowledging what it has handled.
#include <troupe/actors/client.hpp>
#include <troupe/broker/broker.hpp>

#include <chrono>
#include <iostream>
#include <latch>
#include <thread>
#include <vector>

int main() {
  using namespace std::chrono_literals;
  constexpr int jobs = 5;
  troupe::stage stage;
  troupe::broker broker{stage};
  if (!broker.listen("loopback://works")) return 1;
  troupe::client client{stage, {.broker = "loopback://works", .client_id = "worker"}};

  std::latch done{jobs};
  auto work =
      client.subscribe("jobs/#", troupe::qos::at_least_once,
                       [&](const troupe::message& job) {
                         std::this_thread::sleep_for(10ms); // pings, acks and other handlers go on meanwhile
                         std::cout << "did " << job.topic() << '\n';
                         done.count_down();
                       },
                       {.run_on = troupe::run_on::own_thread, .acknowledge = troupe::ack_policy::handled});
  if (!work.granted().get()) return 2;

  const std::vector<std::string> names{"jobs/a", "jobs/b", "jobs/c", "jobs/d", "jobs/e"};
  std::vector<troupe::publication> all;
  for (const std::string& name : names) all.push_back({name, "please", troupe::qos::at_least_once});
  if (!client.publish_many(all).get()) return 3;
  done.wait();
  std::cout << "all handled\n";
}
