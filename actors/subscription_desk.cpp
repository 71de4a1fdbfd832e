#include "subscription_desk.hpp"

#include "../protocol/errc.hpp"
#include "../protocol/topic.hpp"

#include <algorithm>
#include <utility>

namespace troupe::actors {

namespace {

/// Lines of one SUBSCRIBE when many are asked at once.
constexpr std::size_t portion = 64;

outcome outcome_of(const protocol::verdict& how) noexcept {
  return how.error ? outcome{how.error, how.by} : outcome{how.reason, how.by};
}

outcome done_here() noexcept { return outcome{protocol::reason_code::success, initiator::library}; }

} // namespace

struct subscription_desk::call : user_request {
  call() noexcept { what = kind::call; }
  bool is_subscribe = true;
  bool is_renewal = false;
  std::vector<std::string> filters{};
  std::vector<link_ref> links{}; // of an UNSUBSCRIBE: to be forgotten
};

void subscription_desk::go_on_from(session_store& store, const std::vector<past_filter>& filters) {
  store_ = &store;
  for (const past_filter& one : filters) book_.restore(one.filter, one.line);
}

// -- the user ---------------------------------------------------------------------------

void subscription_desk::subscribe(const link_ref& link, protocol::time_point now) {
  if (const auto sayable = protocol::check_topic_filter(link->filter); !sayable) {
    link->answer = outcome{sayable.error()};
    return; // nobody is told of it
  }
  if (is_full(link_added{link})) {
    link->answer = outcome{protocol::errc::backpressure};
    return;
  }
  if (link->options.acknowledge == ack_policy::handled) ++handled_links_;
  book_.add(link);
  if (machine_.is_connected()) ask({link->filter}, false, now);
}

void subscription_desk::tell_granted(const subscription_link& link, const asker& who) {
  book_entry* const line = book_.find(link.filter);
  const bool is_in = line != nullptr
                     && std::any_of(line->links.begin(), line->links.end(),
                                    [&link](const link_ref& each) { return each.get() == &link; });
  if (!is_in) return ends_.answer(who, link.answer);
  if (line->is_granted && line->outstanding == 0) return ends_.answer(who, line->answer);
  line->waiting.push_back(who);
}

void subscription_desk::end_link(const subscription_link& link, const asker& who, protocol::time_point now) {
  book_entry line;
  switch (book_.remove(link, line)) {
  case subscription_book::removal::unknown: return ends_.answer(who, done_here());
  case subscription_book::removal::one_of_many:
    if (link.options.acknowledge == ack_policy::handled) --handled_links_;
    tell_end(link);
    return ends_.answer(who, done_here());
  case subscription_book::removal::last: end_line(link.filter, std::move(line), who, now);
  }
}

void subscription_desk::end_filter(std::string_view filter, const asker& who, protocol::time_point now) {
  if (book_.find(filter) == nullptr && !machine_.is_connected()) return ends_.answer(who, done_here());
  // A line that is not in the book may still be in a session resumed from an earlier process.
  book_entry line = book_.take(filter);
  line.is_granted = true;
  end_line(filter, std::move(line), who, now);
}

void subscription_desk::end_line(std::string_view filter, book_entry&& line, const asker& who,
                                 protocol::time_point now) {
  answer(line, outcome{protocol::errc::cancelled, initiator::user});
  if (store_ != nullptr) store_->drop_filter(filter);
  if (line.is_known() && machine_.is_connected()) {
    call what;
    what.is_subscribe = false;
    what.filters.emplace_back(filter);
    what.links = std::move(line.links);
    what.who = who;
    return ask_to_end(std::move(what), now);
  }
  if (line.is_known()) to_end_.emplace_back(filter);
  forget(line.links);
  ends_.answer(who, done_here());
}

void subscription_desk::ask_to_end(call&& what, protocol::time_point now) {
  auto out = std::make_unique<call>(std::move(what));
  const std::string_view filter = out->filters.front();
  const auto token = reinterpret_cast<protocol::request_token>(static_cast<user_request*>(out.get()));
  const auto sent = machine_.unsubscribe(token, {&filter, 1}, {}, now);
  if (sent) {
    static_cast<void>(out.release()); // comes back in on_complete
    return;
  }
  forget(out->links);
  ends_.answer(out->who, outcome{sent.error()});
}

void subscription_desk::withdraw(std::vector<cell>& cells) {
  if (cells.empty()) return;
  const auto leaves = [&](const asker& who) { return ends_.withdraw(who, cells); };
  book_.for_each([&](std::string_view, book_entry& line) { std::erase_if(line.waiting, leaves); });
  machine_.for_each_request([&](protocol::request_token token) {
    asker& who = reinterpret_cast<user_request*>(token)->who;
    if (leaves(who)) who = {};
  });
}

// -- the connection -----------------------------------------------------------------------

void subscription_desk::renew(bool is_resumed, protocol::time_point now) {
  if (!is_resumed) {
    book_.lose();
    to_end_.clear();
  }
  for (std::string& filter : std::exchange(to_end_, {})) {
    if (book_.find(filter) != nullptr) continue;
    call what;
    what.is_subscribe = false;
    what.filters.push_back(std::move(filter));
    ask_to_end(std::move(what), now);
  }
  std::vector<std::string> wanted;
  book_.for_each([&](std::string_view filter, const book_entry& line) {
    if (!line.is_granted) wanted.emplace_back(filter);
  });
  for (std::size_t at = 0; at < wanted.size(); at += portion) {
    const auto first = wanted.begin() + static_cast<std::ptrdiff_t>(at);
    const auto last = wanted.begin() + static_cast<std::ptrdiff_t>(std::min(at + portion, wanted.size()));
    ask({first, last}, true, now);
  }
}

void subscription_desk::ask(std::vector<std::string> filters, bool is_renewal, protocol::time_point now) {
  auto out = std::make_unique<call>();
  out->is_renewal = is_renewal;
  out->filters = std::move(filters);
  std::vector<protocol::subscription> lines;
  protocol::properties_view properties;
  for (const std::string& filter : out->filters) {
    const book_entry& entry = *book_.find(filter);
    lines.push_back(subscription_book::line(filter, entry));
    // Properties belong to the whole packet, so those of one line leave with it alone.
    if (!entry.links.empty()) properties = entry.links.back()->options.properties.view();
    if (!properties.empty()) break;
  }
  const bool is_alone = out->filters.size() == 1;
  const auto token = reinterpret_cast<protocol::request_token>(static_cast<user_request*>(out.get()));
  std::error_code refused;
  if (is_alone || properties.empty())
    refused = machine_.subscribe(token, lines, properties, now).error();
  else
    refused = protocol::errc::invalid_argument;
  if (!refused) {
    for (const std::string& filter : out->filters) ++book_.find(filter)->outstanding;
    if (is_renewal) ++renewals_;
    static_cast<void>(out.release()); // comes back in on_complete
  } else if (is_alone) {
    strike(out->filters.front(), outcome{refused});
  } else {
    for (std::string& filter : out->filters) ask({std::move(filter)}, is_renewal, now);
  }
}

void subscription_desk::on_complete(user_request& which, const protocol::verdict& how) {
  const std::unique_ptr<call> ended{static_cast<call*>(&which)};
  if (ended->is_subscribe) return on_subscribed(*ended, how);
  if (how.error) to_end_.push_back(ended->filters.front()); // a resumed session still has it
  forget(ended->links);
  ends_.answer(ended->who,
               how.error || how.granted.empty() ? outcome_of(how) : outcome{how.granted.front(), how.by});
}

void subscription_desk::on_subscribed(const call& ended, const protocol::verdict& how) {
  if (ended.is_renewal) --renewals_;
  for (std::size_t index = 0; index < ended.filters.size(); ++index) {
    const bool is_answered = !how.error && index < how.granted.size();
    on_line_answered(ended.filters[index],
                     is_answered ? outcome{how.granted[index], initiator::peer} : outcome_of(how));
  }
}

void subscription_desk::on_line_answered(std::string_view filter, const outcome& how) {
  book_entry* const line = book_.find(filter);
  if (line == nullptr || line->outstanding == 0) return; // ended meanwhile
  --line->outstanding;
  if (how.error()) return; // not answered at all: the next connection asks again
  if (!how.ok()) return strike(filter, how);
  line->is_granted = true;
  line->answer = how;
  if (store_ != nullptr) store_->keep_filter(subscription_book::line(filter, *line));
  if (line->outstanding == 0) answer(*line, how);
}

void subscription_desk::refuse(std::error_code error) {
  book_.for_each([&](std::string_view, book_entry& line) {
    for (const asker& who : std::exchange(line.waiting, {})) ends_.answer(who, outcome{error});
  });
}

void subscription_desk::strike(std::string_view filter, const outcome& why) {
  book_entry line = book_.take(filter);
  if (store_ != nullptr) store_->drop_filter(filter);
  answer(line, why);
  forget(line.links);
}

void subscription_desk::answer(book_entry& line, const outcome& how) {
  for (const link_ref& link : line.links) link->answer = how;
  for (const asker& who : std::exchange(line.waiting, {})) ends_.answer(who, how);
}

void subscription_desk::forget(const std::vector<link_ref>& links) {
  for (const link_ref& link : links) {
    if (link->options.acknowledge == ack_policy::handled) --handled_links_;
    tell_end(*link);
  }
}

void subscription_desk::tell_end(const subscription_link& link) {
  if (has_untold() || is_full(link_removed{&link})) untold_.push_back(&link);
}

bool subscription_desk::tell_rest() {
  const auto is_told = [this](const subscription_link* link) { return !is_full(link_removed{link}); };
  untold_.erase(untold_.begin(), std::find_if_not(untold_.begin(), untold_.end(), is_told));
  return untold_.empty();
}

} // namespace troupe::actors
