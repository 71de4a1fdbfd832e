#include "tcp_race.hpp"

#include "descriptor.hpp"
#include "home.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace troupe::runtime {

namespace {

bool has_found_itself(const tcp_race::socket& connected) noexcept {
  boost::system::error_code error;
  const auto here = connected.local_endpoint(error);
  return !error && here == connected.remote_endpoint(error);
}

} // namespace

std::vector<address> alternate_families(std::vector<address> addresses) {
  if (addresses.empty()) return addresses;
  const auto first_family = addresses.front().protocol();
  const auto middle = std::stable_partition(addresses.begin(), addresses.end(), [&](const address& each) {
    return each.protocol() == first_family;
  });
  std::vector<address> mixed;
  mixed.reserve(addresses.size());
  auto one = addresses.begin();
  auto other = middle;
  while (one != middle || other != addresses.end()) {
    if (one != middle) mixed.push_back(*one++);
    if (other != addresses.end()) mixed.push_back(*other++);
  }
  return mixed;
}

std::shared_ptr<tcp_race> tcp_race::begin(home& where, std::vector<address> addresses, duration stagger,
                                          answer done, preparation prepare) {
  auto race =
      std::make_shared<tcp_race>(where, std::move(addresses), stagger, std::move(done), std::move(prepare));
  race->self_ = race;
  where.post([weak = std::weak_ptr{race}] {
    if (const auto self = weak.lock()) begin_next(self);
  });
  return race;
}

tcp_race::tcp_race(home& where, std::vector<address> addresses, duration stagger, answer done,
                   preparation prepare)
    : home_{where},
      addresses_{alternate_families(std::move(addresses))},
      stagger_{stagger},
      done_{std::move(done)},
      prepare_{std::move(prepare)},
      last_failure_{std::make_error_code(std::errc::address_not_available)} {
  runners_.reserve(addresses_.size());
}

void tcp_race::begin_next(const std::shared_ptr<tcp_race>& self) {
  self->next_.disarm();
  if (!self->done_) return;
  const std::size_t runner = self->runners_.size();
  if (runner == self->addresses_.size()) {
    if (self->running_ == 0) self->finish(self->last_failure_);
    return;
  }
  self->runners_.emplace_back(self->home_.io());
  ++self->running_;
  if (const auto wrong = self->open(self->runners_[runner], self->addresses_[runner])) {
    self->on_failed(wrong);
    return begin_next(self);
  }
  self->runners_[runner].async_connect(
      self->addresses_[runner], [weak = std::weak_ptr{self}, runner](const boost::system::error_code& error) {
        if (const auto race = weak.lock()) on_connected(race, runner, error);
      });
  if (runner + 1 < self->addresses_.size()) self->home_.time().arm_in(self->next_, self->stagger_);
}

std::error_code tcp_race::open(socket& runner, const address& to) {
  if (const auto error = open_socket(runner, to.protocol())) return error;
  return prepare_ ? prepare_(runner) : std::error_code{};
}

void tcp_race::on_stagger() { begin_next(self_.lock()); }

void tcp_race::on_connected(const std::shared_ptr<tcp_race>& self, std::size_t runner,
                            const boost::system::error_code& error) {
  if (!self->done_) return;
  if (error)
    self->on_failed(error);
  else if (has_found_itself(self->runners_[runner]))
    self->on_failed(std::make_error_code(std::errc::connection_refused));
  else
    return self->finish(std::move(self->runners_[runner]));
  boost::system::error_code ignored;
  self->runners_[runner].close(ignored);
  begin_next(self);
}

void tcp_race::on_failed(std::error_code why) {
  last_failure_ = why;
  --running_;
}

void tcp_race::finish(protocol::result<socket> with) {
  const auto done = std::exchange(done_, nullptr);
  next_.disarm();
  runners_.clear();
  done(std::move(with));
}

} // namespace troupe::runtime
