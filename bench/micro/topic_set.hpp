// topic_set: filters and the topics they match, as the benchmark cases of the index want them.
//
// Lives here: topic_set: N subscriptions, 9 of 10 exact, the others of four shapes with wildcards, such
//          that every topic matches exactly K of them.
// Holds:   topics `site<0..99>/line<0..9>/dev<unique>/temp`, about 27 octets, in a random order that is the
//          same in every run, their texts one behind the other in that order: a topic that arrives lies in
//          the cache. Subscriber numbers run from 0, one a subscription.
// Threads: one.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace troupe::bench {

struct topic_set {
  topic_set(std::size_t subscriptions, std::size_t matches) {
    const std::size_t count = subscriptions / matches;
    wishes.reserve(subscriptions);
    for (std::size_t n = 0; n < count; ++n) add_topic(n, matches);
    std::mt19937 chance{20'240};
    std::shuffle(names_.begin(), names_.end(), chance);
    std::shuffle(wishes.begin(), wishes.end(), chance);
    pack();
  }
  topic_set(const topic_set&) = delete;
  topic_set& operator=(const topic_set&) = delete;

  std::vector<std::string_view> topics;
  std::vector<std::pair<std::string, std::uint64_t>> wishes; // filter, subscriber

private:
  void add_topic(std::size_t n, std::size_t matches) {
    const std::string site = "site" + std::to_string(n % 100);
    const std::string line = "line" + std::to_string(n / 100 % 10);
    const std::string device = "dev" + std::to_string(n);
    names_.push_back(site + '/' + line + '/' + device + "/temp");
    const std::string shapes[] = {site + "/+/" + device + "/temp", "+/" + line + '/' + device + "/temp",
                                  site + '/' + line + '/' + device + "/#",
                                  site + '/' + line + '/' + device + "/+"};
    for (std::size_t each = 0; each < matches; ++each) {
      const std::size_t number = wishes.size();
      wishes.emplace_back(number % 10 == 9 ? shapes[number / 10 % 4] : names_.back(), number);
    }
  }
  void pack() {
    for (const std::string& name : names_) texts_ += name;
    const char* at = texts_.data();
    for (const std::string& name : names_) {
      topics.emplace_back(at, name.size());
      at += name.size();
    }
    names_ = {};
  }

  std::vector<std::string> names_;
  std::string texts_;
};

} // namespace troupe::bench
