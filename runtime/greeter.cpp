#include "greeter.hpp"

#include "home.hpp"

#include <utility>

namespace troupe::runtime {

std::shared_ptr<greeter> greeter::begin(home& where, std::unique_ptr<octet_stream> stream,
                                        std::chrono::milliseconds limit, answer done) {
  const auto made = std::make_shared<greeter>(where, std::move(stream), std::move(done));
  if (limit.count() != 0) where.time().arm_in(made->late_, limit);
  where.post([made] { made->on_ready(readiness::to_write); });
  return made;
}

greeter::greeter(home& where, std::unique_ptr<octet_stream> stream, answer done)
    : home_{where}, stream_{std::move(stream)}, done_{std::move(done)} {}

greeter::~greeter() {
  if (stream_) stream_->close();
}

void greeter::give_up() noexcept {
  done_ = nullptr;
  late_.disarm();
  if (stream_) stream_->close();
}

void greeter::on_ready(readiness) {
  if (!done_) return;
  const octet_stream::progress now = stream_->greet();
  if (now.error || now.is_done) return finish(now.error);
  stream_->wait(readiness_handler{shared_from_this(), now.needs}, now.needs);
}

void greeter::on_late() { finish(std::make_error_code(std::errc::timed_out)); }

void greeter::finish(std::error_code why) {
  const auto self = shared_from_this(); // the answer may let go of us
  late_.disarm();
  const auto done = std::exchange(done_, nullptr);
  if (!why) return done(std::move(stream_));
  stream_->close();
  done(why);
}

} // namespace troupe::runtime
