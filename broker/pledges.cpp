#include "pledges.hpp"

#include <algorithm>
#include <utility>

namespace troupe::brokerage {

pledge_number pledges::end_event() {
  if (store_.written() != current_.mark) current_.batch = store_.outstanding();
  const bool is_bare = current_.posts.empty() && current_.batch == 0;
  if (is_bare)
    for (const auto& each : current_.then) each();
  return is_bare ? 0 : open(std::move(current_), {});
}

pledges::bracket pledges::begin_mail() { return std::exchange(current_, {.mark = store_.written()}); }

void pledges::end_mail(bracket outer, shard_number from, std::uint64_t serial) {
  if (store_.written() != current_.mark) current_.batch = store_.outstanding();
  if (current_.posts.empty() && current_.batch == 0) {
    answers_[from].push_back(serial);
    for (const auto& each : current_.then) each();
  } else {
    open(std::move(current_), {.from = from, .serial = serial});
  }
  current_ = std::move(outer);
}

void pledges::end_mail(bracket outer) {
  static_cast<void>(end_event());
  current_ = std::move(outer);
}

pledge_number pledges::open(bracket&& what, pledge&& made) {
  const pledge_number number = ++last_;
  made.batch = what.batch;
  made.posts = what.posts.size();
  made.then = std::move(what.then);
  open_.emplace(number, std::move(made));
  for (const std::uint64_t post : what.posts) posts_.emplace(post, number);
  if (what.batch != 0) by_batch_.push_back(number);
  return number;
}

void pledges::on_stored(const stored& news) {
  for (const std::uint64_t serial : news.serials) {
    const auto known = posts_.find(serial);
    if (known == posts_.end()) continue;
    const pledge_number which = known->second;
    posts_.erase(known);
    pledge& what = open_.at(which);
    --what.posts;
    if (is_due(what)) redeem(which);
  }
}

void pledges::on_kept() {
  auto at = by_batch_.begin();
  for (; at != by_batch_.end(); ++at) {
    const auto known = open_.find(*at);
    if (known == open_.end()) continue;
    if (!store_.is_kept(known->second.batch)) break;
    if (is_due(known->second)) redeem(*at);
  }
  by_batch_.erase(by_batch_.begin(), at);
}

void pledges::redeem(pledge_number which) {
  const pledge what = std::move(open_.extract(which).mapped());
  if (what.serial != 0) answers_[what.from].push_back(what.serial);
  redeemed_.insert(redeemed_.end(), what.peers.begin(), what.peers.end());
  for (const auto& each : what.then) each();
}

} // namespace troupe::brokerage
