#include "dialogue.hpp"

#include "layer_buffers.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace troupe::runtime {

namespace {

class dialogue_stream final : public octet_stream {
public:
  dialogue_stream(slab_pool& pool, std::unique_ptr<octet_stream> below, std::unique_ptr<dialogue> talk)
      : below_{std::move(below)}, talk_{std::move(talk)}, in_{pool}, out_{pool} {}

  progress greet() noexcept override;
  step read(std::span<iovec> into) noexcept override {
    return in_.empty() ? below_->read(into) : left_over(into);
  }
  step write(std::span<iovec> from) noexcept override { return below_->write(from); }
  bool has_unread() const noexcept override { return !in_.empty() || below_->has_unread(); }
  bool has_unsent() const noexcept override { return below_->has_unsent(); }
  void wait(readiness_handler handler, readiness which) override { below_->wait(std::move(handler), which); }
  void end_writing() noexcept override { below_->end_writing(); }
  void close() noexcept override { below_->close(); }
  std::string peer_name() const override { return below_->peer_name(); }
  std::string certified_name() const override { return below_->certified_name(); }

private:
  progress go_on();
  step left_over(std::span<iovec> into) noexcept;

  std::unique_ptr<octet_stream> below_;
  std::unique_ptr<dialogue> talk_; // until it is done
  layer_input in_;
  layer_output out_;
  bool is_below_greeted_ = false;
  bool has_begun_ = false;
};

octet_stream::progress dialogue_stream::greet() noexcept {
  if (!is_below_greeted_) {
    const progress below = below_->greet();
    if (below.error || !below.is_done) return below;
    is_below_greeted_ = true;
  }
  if (!std::exchange(has_begun_, true))
    if (const progress first = go_on(); first.error) return first;
  for (;;) {
    if (const auto error = out_.send(*below_)) return {error, false};
    if (!out_.empty() || below_->has_unsent()) return progress::waits_for(readiness::to_write);
    if (talk_ == nullptr) break;
    bool is_drained = false;
    const auto got = in_.fill(*below_, is_drained);
    if (got.would_block()) return progress::waits_for(readiness::to_read);
    if (got.error) return {got.error, false};
    if (got.count == 0) return {std::make_error_code(std::errc::connection_aborted), false};
    if (const progress now = go_on(); now.error) return now;
  }
  in_.rest();
  return {};
}

octet_stream::progress dialogue_stream::go_on() {
  std::string say;
  const dialogue::step now = talk_->go_on(in_.unread(), say);
  in_.consume(now.used);
  out_.append({reinterpret_cast<const protocol::octet*>(say.data()), say.size()});
  if (now.error) {
    static_cast<void>(out_.send(*below_)); // the reason, if it finds room
    return {now.error, false};
  }
  if (now.is_done) talk_.reset();
  return progress::waits_for(readiness::to_read);
}

octet_stream::step dialogue_stream::left_over(std::span<iovec> into) noexcept {
  std::size_t count = 0;
  for (const iovec& each : into) {
    const protocol::octets rest = in_.unread();
    const std::size_t part = std::min(rest.size(), each.iov_len);
    std::memcpy(each.iov_base, rest.data(), part);
    in_.consume(part);
    count += part;
    if (in_.empty()) break;
  }
  in_.rest();
  return {count, {}};
}

} // namespace

std::unique_ptr<octet_stream> make_dialogue_stream(slab_pool& pool, std::unique_ptr<octet_stream> below,
                                                   std::unique_ptr<dialogue> talk) {
  return std::make_unique<dialogue_stream>(pool, std::move(below), std::move(talk));
}

} // namespace troupe::runtime
