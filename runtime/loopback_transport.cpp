#include "loopback_transport.hpp"

#include "errand.hpp"
#include "homes.hpp"
#include "loopback_side.hpp"

#include <mutex>
#include <utility>

namespace troupe::runtime {

using protocol::result;

namespace {

class loopback_transport final : public transport {
public:
  loopback_transport(std::shared_ptr<loopback_link> link, std::size_t index) noexcept
      : link_{std::move(link)}, side_{link_->side(index)} {}
  ~loopback_transport() override { side_.forget(); }

  void start(transport_sink& sink) override { side_.start(sink); }
  protocol::outbox& out() override { return side_.out(); }
  protocol::buffer_source& memory() noexcept override { return side_.memory(); }
  void flush_later() override { side_.flush_later(); }
  std::size_t backlog() const noexcept override { return side_.backlog(); }
  bool is_congested() const noexcept override { return side_.is_congested(); }
  void pause() override { side_.pause(); }
  void resume() override { side_.resume(); }
  void close() override { side_.close(); }
  void abort() override { side_.end({}, std::make_error_code(std::errc::connection_reset)); }
  std::string peer_name() const override { return link_->name(); }

private:
  std::shared_ptr<loopback_link> link_;
  loopback_side& side_;
};

using question = errand<result<transport_ptr>>;

std::error_code refused() noexcept { return std::make_error_code(std::errc::connection_refused); }

} // namespace

loopback_ends make_loopback(const loopback_seat& first, const loopback_seat& second,
                            const std::string& name) {
  const auto link = std::make_shared<loopback_link>(first, second, name);
  return {std::make_unique<loopback_transport>(link, 0), std::make_unique<loopback_transport>(link, 1)};
}

struct loopback_listener::state {
  home& where;
  transport_options options;
  chooser choose;
  arrival arrive;
  std::mutex mutex;
  bool is_open = true; // under the mutex

  /// On the listener's home: one who dialled from `from` is let in.
  void let_in(home& from, const std::string& name, const transport_options& caller,
              const std::shared_ptr<question>& asked) {
    if (!is_still_open()) return answer(from, asked, refused());
    home& to = choose ? choose() : where;
    loopback_ends ends = make_loopback({from, caller}, {to, options}, "loopback://" + name);
    if (&to == &where)
      arrive(to, std::move(ends.second));
    else
      to.post([call = arrive, &to, end = std::move(ends.second)]() mutable { call(to, std::move(end)); });
    answer(from, asked, std::move(ends.first));
  }
  /// An end that nobody waits for any more goes where it belongs.
  static void answer(home& from, const std::shared_ptr<question>& asked, result<transport_ptr> with) {
    if (!asked->report(std::move(with))) from.post([unwanted = std::move(with)] {});
  }
  bool is_still_open() {
    const std::lock_guard lock{mutex};
    return is_open;
  }
};

loopback_listener::loopback_listener(home& where, transport_options options, chooser choose, arrival arrive)
    : state_{new state{where, options, std::move(choose), std::move(arrive), {}}} {}

void loopback_listener::close() noexcept {
  const std::lock_guard lock{state_->mutex};
  state_->is_open = false;
}

std::shared_ptr<void> dial_loopback(home& from, const std::string& name, const transport_options& options,
                                    std::function<void(result<transport_ptr>)> done) {
  const auto asked = std::make_shared<question>(from, std::move(done));
  const auto found = std::static_pointer_cast<loopback_listener>(from.among().names().find(name));
  if (!found) {
    asked->report(refused());
    return asked->as_token();
  }
  found->state_->where.post(
      [there = found->state_, asked, &from, name, options] { there->let_in(from, name, options, asked); });
  return asked->as_token();
}

} // namespace troupe::runtime
