#include "requester.hpp"

#include "../protocol/errc.hpp"
#include "../runtime/resident.hpp"

#include <condition_variable>
#include <future>
#include <map>
#include <mutex>
#include <random>
#include <thread>
#include <unordered_map>
#include <utility>

namespace troupe {

namespace {

using protocol::property;
using std::chrono::steady_clock;

std::string topic_by_chance() {
  std::random_device chance;
  std::string result = "replies/";
  for (int n = 0; n != 32; ++n) result += "0123456789abcdef"[chance() % 16];
  return result;
}

} // namespace

class requester::desk : public std::enable_shared_from_this<desk> {
public:
  desk(client& whose, requester_options options)
      : client_{whose},
        topic_{options.reply_topic.empty() ? topic_by_chance() : std::move(options.reply_topic)},
        most_open_{options.most_open} {}

  void open_up() {
    replies_ = client_.subscribe(topic_, qos::exactly_once, [this](const message& m) { on_reply(m); });
    watch_ = std::thread{[this] { look_at_time(); }};
  }

  void ask(std::string_view topic, payload_view payload, reply_handler handler, request_options options,
           bool is_stream) {
    std::uint64_t number = 0;
    if (const auto refused = enter(handler, options.timeout, is_stream, number); refused)
      return handler(reply{std::nullopt, refused});
    const std::string name = std::to_string(number);
    auto& properties = options.properties;
    static_cast<void>(properties.set(property::response_topic, std::string_view{topic_}));
    static_cast<void>(properties.set(property::correlation_data, protocol::as_octets(name)));
    client_.publish(topic, payload, options.quality, publish_options{.properties = properties.view()},
                    [self = weak_from_this(), number](const outcome& how) {
                      const auto here = self.lock();
                      if (here && !how.ok()) here->fail(number, error_of(how));
                    });
  }

  void close() {
    {
      const std::scoped_lock lock{mutex_};
      is_closed_ = true;
      due_.notify_all();
    }
    if (watch_.joinable()) watch_.join();
    replies_ = {};
    std::unordered_map<std::uint64_t, open_request> rest;
    {
      const std::scoped_lock lock{mutex_};
      rest.swap(open_);
      times_.clear();
    }
    for (auto& [number, each] : rest) (*each.handler)(reply{std::nullopt, protocol::errc::closed});
  }

  const std::string& topic() const noexcept { return topic_; }
  pending<outcome> ready() const { return replies_.granted(); }
  std::size_t open() const {
    const std::scoped_lock lock{mutex_};
    return open_.size();
  }

private:
  using times = std::multimap<steady_clock::time_point, std::uint64_t>;
  struct open_request {
    std::shared_ptr<reply_handler> handler;
    times::iterator due;
    std::chrono::milliseconds timeout;
    bool is_stream;
  };

  static std::error_code error_of(const outcome& how) {
    return how.error() ? how.error() : make_error_code(protocol::errc::refused_by_server);
  }

  std::error_code enter(reply_handler& handler, std::chrono::milliseconds timeout, bool is_stream,
                        std::uint64_t& number) {
    const std::scoped_lock lock{mutex_};
    if (is_closed_) return protocol::errc::closed;
    if (open_.size() >= most_open_) return protocol::errc::backpressure;
    number = next_++;
    const auto due = times_.emplace(steady_clock::now() + timeout, number);
    open_.emplace(number,
                  open_request{std::make_shared<reply_handler>(std::move(handler)), due, timeout, is_stream});
    if (due == times_.begin()) due_.notify_all();
    return {};
  }

  /// Takes a request out; null: it has been answered.
  std::shared_ptr<reply_handler> take(std::uint64_t number) {
    const std::scoped_lock lock{mutex_};
    const auto found = open_.find(number);
    if (found == open_.end()) return nullptr;
    auto handler = std::move(found->second.handler);
    times_.erase(found->second.due);
    open_.erase(found);
    return handler;
  }

  /// As take(), but a stream stays, with its time begun anew.
  std::shared_ptr<reply_handler> take_part(std::uint64_t number, bool is_end, bool& is_stream) {
    const std::scoped_lock lock{mutex_};
    const auto found = open_.find(number);
    if (found == open_.end()) return nullptr;
    open_request& which = found->second;
    is_stream = which.is_stream;
    times_.erase(which.due);
    if (is_stream && !is_end) {
      which.due = times_.emplace(steady_clock::now() + which.timeout, number);
      return which.handler;
    }
    auto handler = std::move(which.handler);
    open_.erase(found);
    return handler;
  }

  void on_reply(const message& m) {
    const auto name = m.properties().binary(property::correlation_data);
    if (!name) return;
    std::uint64_t number = 0;
    for (const protocol::octet each : *name) {
      if (each < '0' || each > '9' || number > (~std::uint64_t{0} / 10) - 1) return; // not one of ours
      number = number * 10 + (each - '0');
    }
    bool is_stream = false;
    const bool is_empty = m.payload().empty();
    const auto handler = take_part(number, is_empty, is_stream);
    if (!handler) return; // late, or twice
    (*handler)(is_stream && is_empty ? reply{} : reply{m, {}});
  }

  void fail(std::uint64_t number, std::error_code why) {
    if (const auto handler = take(number)) (*handler)(reply{std::nullopt, why});
  }

  void look_at_time() {
    std::unique_lock lock{mutex_};
    while (!is_closed_) {
      if (times_.empty()) {
        due_.wait(lock);
        continue;
      }
      const auto first = times_.begin();
      if (first->first > steady_clock::now()) {
        const auto until = first->first;
        due_.wait_until(lock, until);
        continue;
      }
      const std::uint64_t number = first->second;
      lock.unlock();
      fail(number, std::make_error_code(std::errc::timed_out));
      lock.lock();
    }
  }

  client& client_;
  const std::string topic_;
  const std::size_t most_open_;
  subscription replies_;
  std::thread watch_;
  mutable std::mutex mutex_;
  std::condition_variable due_;
  std::unordered_map<std::uint64_t, open_request> open_; // under mutex_, as below
  times times_;
  std::uint64_t next_ = 1;
  bool is_closed_ = false;
};

requester::requester(client& whose, requester_options options)
    : desk_{std::make_shared<desk>(whose, std::move(options))} {
  desk_->open_up();
}

requester::requester(requester&&) noexcept = default;

requester::~requester() {
  if (desk_) desk_->close();
}

void requester::ask(std::string_view topic, payload_view payload, reply_handler handler,
                    request_options options) {
  desk_->ask(topic, payload, std::move(handler), std::move(options), false);
}

void requester::ask_many(std::string_view topic, payload_view payload, reply_handler handler,
                         request_options options) {
  desk_->ask(topic, payload, std::move(handler), std::move(options), true);
}

reply requester::ask(std::string_view topic, payload_view payload, request_options options) {
  if (!runtime::may_block()) return {std::nullopt, protocol::errc::would_deadlock};
  auto answer = std::make_shared<std::promise<reply>>();
  auto future = answer->get_future();
  ask(
      topic, payload, [answer](const reply& what) { answer->set_value(what); }, std::move(options));
  return future.get();
}

const std::string& requester::reply_topic() const noexcept { return desk_->topic(); }

pending<outcome> requester::ready() const { return desk_->ready(); }

std::size_t requester::open() const { return desk_->open(); }

bool response::send(payload_view payload) const {
  const auto where = request_.properties().text(property::response_topic);
  if (!where) return false;
  protocol::property_block properties;
  if (const auto name = request_.properties().binary(property::correlation_data))
    static_cast<void>(properties.set(property::correlation_data, *name));
  static_cast<void>(
      client_.publish(*where, payload, quality_, publish_options{.properties = properties.view()}));
  return true;
}

} // namespace troupe
