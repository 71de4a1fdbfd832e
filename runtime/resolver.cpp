#include "resolver.hpp"

#include "errand.hpp"

#include <boost/asio/error.hpp>
#include <boost/asio/ip/address.hpp>

#include <netdb.h>

#include <cerrno>
#include <cstring>
#include <system_error>
#include <thread>
#include <utility>

namespace troupe::runtime {

using protocol::result;

namespace {

using addresses = std::vector<address>;

using question = errand<result<addresses>>;

addresses as_addresses(const addrinfo* first) {
  addresses found;
  for (const addrinfo* each = first; each != nullptr; each = each->ai_next) {
    address next;
    if (each->ai_addrlen > next.capacity()) continue;
    std::memcpy(next.data(), each->ai_addr, each->ai_addrlen);
    next.resize(each->ai_addrlen);
    found.push_back(next);
  }
  return found;
}

result<addresses> look_up(const std::string& host, std::uint16_t port) {
  addrinfo hints{};
  hints.ai_family = AF_UNSPEC;
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_NUMERICSERV;
  addrinfo* first = nullptr;
  const int failure = ::getaddrinfo(host.c_str(), std::to_string(port).c_str(), &hints, &first);
  if (failure == EAI_SYSTEM) return std::error_code{errno, std::system_category()};
  if (failure != 0)
    return std::error_code{boost::system::error_code{failure, boost::asio::error::get_addrinfo_category()}};
  addresses found = as_addresses(first);
  ::freeaddrinfo(first);
  if (found.empty()) return std::make_error_code(std::errc::address_not_available);
  return found;
}

class getaddrinfo_resolver final : public resolver {
public:
  std::shared_ptr<void> resolve(home& where, const std::string& host, std::uint16_t port,
                                answer done) override {
    const auto asked = std::make_shared<question>(where, std::move(done));
    boost::system::error_code not_digits;
    const auto digits = boost::asio::ip::make_address(host, not_digits);
    if (!not_digits)
      asked->report(addresses{address{digits, port}});
    else
      ask_system(asked, host, port);
    return asked->as_token();
  }

private:
  static void ask_system(const std::shared_ptr<question>& asked, const std::string& host,
                         std::uint16_t port) {
    try {
      std::thread{[asked, host, port] { asked->report(look_up(host, port)); }}.detach();
    } catch (const std::system_error& shortage) {
      asked->report(shortage.code());
    }
  }
};

} // namespace

std::shared_ptr<resolver> system_resolver() { return std::make_shared<getaddrinfo_resolver>(); }

} // namespace troupe::runtime
