// The client inside Asio coroutines: every operation takes any completion token.
#include <troupe/actors/client.hpp>
#include <troupe/broker/broker.hpp>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <iostream>

namespace asio = boost::asio;

namespace {

asio::awaitable<int> count_up(troupe::client& client) {
  const troupe::outcome up = co_await client.connected(asio::use_awaitable);
  if (!up) {
    std::cerr << "not connected: " << up.text() << '\n';
    co_return 1;
  }
  for (int number = 1; number <= 3; ++number) {
    const troupe::outcome done = co_await client.publish("numbers", std::to_string(number),
                                                         troupe::qos::at_least_once, asio::use_awaitable);
    std::cout << number << ": " << done.text() << '\n';
  }
  co_await client.disconnect(asio::use_awaitable);
  co_return 0;
}

} // namespace

int main() {
  troupe::stage stage;
  troupe::broker broker{stage};
  if (!broker.listen("loopback://here")) return 1;
  troupe::client client{stage, {.broker = "loopback://here"}};

  asio::io_context loop;
  int result = 1;
  asio::co_spawn(loop, count_up(client), [&](std::exception_ptr, int code) { result = code; });
  loop.run(); // handlers run here, on the coroutine's own executor
  return result;
}
