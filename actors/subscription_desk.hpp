// subscription_desk: what the session does about subscriptions.
//
// Lives here: subscription_desk: the book, the SUBSCRIBE and UNSUBSCRIBE requests that are out, and what
//          the dispatcher is told.
// Holds:   the dispatcher knows a link before the broker is asked, so that no retained message comes too
//          early, and until the broker has confirmed the end. A request that dies with its connection is
//          asked again on the next one.
// Threads: belongs to the session.
// Errors:  what the machine refuses ends in the outcome of those who wait; a subscription for which the
//          dispatcher has no room ends in errc::backpressure.
// Costs:   one allocation per request; nothing per message.
#pragma once

#include "messages.hpp"
#include "session_store.hpp"
#include "settler.hpp"
#include "subscription_book.hpp"

#include "../protocol/client_machine.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace troupe::actors {

class subscription_desk {
public:
  subscription_desk(protocol::client_machine& machine, settler& ends,
                    runtime::inlet<dispatch_mail>& dispatch) noexcept
      : machine_{machine}, ends_{ends}, dispatch_{dispatch} {}

  /// From now on what is granted is written down; `filters` were granted to an earlier process.
  void go_on_from(session_store& store, const std::vector<past_filter>& filters);

  // -- the user ------------------------------------------------------------------
  void subscribe(const link_ref& link, protocol::time_point now);
  void tell_granted(const subscription_link& link, const asker& who);
  void end_link(const subscription_link& link, const asker& who, protocol::time_point now);
  void end_filter(std::string_view filter, const asker& who, protocol::time_point now);

  /// Those who wait at one of these cells wait no longer; whose was found is taken out of `cells`.
  void withdraw(std::vector<cell>& cells);

  // -- the connection ------------------------------------------------------------
  /// Asks for everything that is wanted. `is_resumed` false: for what had been granted, too.
  void renew(bool is_resumed, protocol::time_point now);
  /// Whether requests of the last renew() are still unanswered.
  bool is_renewing() const noexcept { return renewals_ != 0; }
  /// A request of ours ended.
  void on_complete(user_request& which, const protocol::verdict& how);
  /// Whether the dispatcher, full at that time, has not heard of every end.
  bool has_untold() const noexcept { return !untold_.empty(); }
  /// Tells it now. False: it is still full.
  bool tell_rest();
  /// Nothing will be asked any more.
  void refuse(std::error_code error);

  /// Whether some handler wants to decide about acknowledgements.
  bool defers() const noexcept { return handled_links_ != 0; }
  /// A token of ours, or a publish?
  static bool owns(const user_request& which) noexcept { return which.what != user_request::kind::publish; }

private:
  struct call; // one SUBSCRIBE or UNSUBSCRIBE that is out

  void ask(std::vector<std::string> filters, bool is_renewal, protocol::time_point now);
  void on_subscribed(const call& ended, const protocol::verdict& how);
  void on_line_answered(std::string_view filter, const outcome& how);
  void ask_to_end(call&& what, protocol::time_point now);
  void end_line(std::string_view filter, book_entry&& line, const asker& who, protocol::time_point now);
  void strike(std::string_view filter, const outcome& why);
  void answer(book_entry& line, const outcome& how);
  void forget(const std::vector<link_ref>& links);
  bool is_full(dispatch_mail&& mail) { return dispatch_.push(mail) == runtime::offer::full; }
  void tell_end(const subscription_link& link);

  protocol::client_machine& machine_;
  settler& ends_;
  runtime::inlet<dispatch_mail>& dispatch_;
  session_store* store_ = nullptr; // null: nothing is written down
  subscription_book book_;
  std::vector<std::string> to_end_; // ended while there was no connection; a resumed session still has them
  std::vector<const subscription_link*> untold_; // names only; the dispatcher holds these links
  std::size_t renewals_ = 0;
  std::size_t handled_links_ = 0;
};

} // namespace troupe::actors
