// The publish_many of client_core: many publishes, one push for all that have been written.
#include "client_core.hpp"

#include "../protocol/errc.hpp"

#include <algorithm>
#include <utility>

namespace troupe::actors {

using protocol::errc;
using std::chrono::steady_clock;

/// One call under way: what has been written behind the door and not been pushed yet.
class client_core::many {
public:
  many(client_core& core, publish_group& group, std::size_t size)
      : core_{core}, group_{group}, until_{steady_clock::now() + core.options_.publish_wait} {
    items_.reserve(std::min(size, most_items));
  }

  void add(const publication& each) {
    const publish_request what{each.topic, each.payload.bytes(), each.options.properties, each.quality,
                               each.options.retain};
    if (add_plain(what)) return;
    std::error_code refusal;
    publish_record* const record = write(what, refusal);
    if (record != nullptr) {
      record->who = asker{&group_};
      return push(*record);
    }
    send();
    pass_.reset();
    core_.answer(asker{&group_}, outcome{refusal}); // may end the client, which waits for doors
  }
  void send() {
    run_ = nullptr;
    if (items_.empty()) return;
    core_.push_all(pass_, items_);
    items_.clear();
  }

private:
  static constexpr std::size_t most_items = 1024;

  bool add_plain(const publish_request& what) {
    if (!what.properties.empty() || !pass_ || !*pass_) return false;
    door& here = pass_->local();
    const door::plain packet = here.write_plain(what.topic, what.payload, what.quality, what.retain);
    if (packet.frame == nullptr) return false;
    door_run* const run = here.extend_run(run_, packet, &group_);
    if (run != run_) push(*run);
    run_ = items_.empty() ? nullptr : run;
    return true;
  }
  publish_record* write(const publish_request& what, std::error_code& refusal) {
    run_ = nullptr;
    for (;;) {
      if (!pass_) pass_.emplace(core_.enter());
      if (!*pass_) {
        refusal = errc::closed;
        return nullptr;
      }
      const door::written done = pass_->local().write(as_packet(what), 0);
      refusal = done.refusal;
      if (done.record != nullptr || refusal) return done.record;
      send(); // what is there goes first, or there will never be room
      pass_.reset();
      if (core_.wait_for_room(what, 0, until_)) continue;
      refusal = core_.front_->bounds.is_closed() ? errc::closed : errc::backpressure;
      return nullptr;
    }
  }
  void push(user_request& what) {
    items_.push_back({0, request_item{&what}});
    if (items_.size() == most_items) send();
  }

  client_core& core_;
  publish_group& group_;
  const steady_clock::time_point until_;
  std::optional<front_door::pass> pass_;
  std::vector<runtime::ticketed<request_item>> items_;
  door_run* run_ = nullptr; // the last of items_, when more may be added to it
};

void client_core::publish_many(std::span<const publication> messages, const asker& who) {
  if (messages.empty()) return answer(who, outcome{protocol::reason_code::success});
  auto* const group = new publish_group{who, messages.size()};
  many call{*this, *group, messages.size()};
  for (const publication& each : messages) call.add(each);
  call.send();
}

void client_core::push_all(std::optional<front_door::pass>& pass,
                           std::span<runtime::ticketed<request_item>> items) {
  const auto done = pass->push_many(items);
  if (done.count == items.size()) return;
  pass.reset();
  // As in push: what the session does not take, it will never take.
  for (auto& each : items.subspan(done.count)) refuse(*each.item.what);
}

} // namespace troupe::actors
