// dispatcher: the actor that knows whose a message is.
//
// Lives here: the actor dispatcher.
// Holds:   messages of a batch reach each subscriber in their order, by one push per batch and subscriber.
//          A message that matches several subscriptions goes to each of them; one that matches none is
//          counted and settled. Overflow policies are applied here, where the queue is entered.
// Threads: its home's (on CAF's own schedulers: wherever it is run).
// Costs:   one comparison of addresses per message while the topic stays the same, else a look-up; a batch that
//          belongs to one subscriber is passed on as it is. No allocation in the steady state.
#pragma once

#include "client_front.hpp"
#include "messages.hpp"
#include "own_thread.hpp"
#include "subscriber.hpp"

#include "../protocol/topic_index.hpp"
#include "../runtime/house.hpp"
#include "../runtime/outlet.hpp"
#include "../runtime/resident.hpp"

#include <memory>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

namespace troupe::actors {

class dispatcher final : public runtime::resident {
public:
  dispatcher(caf::actor_config& config, runtime::place where, std::shared_ptr<client_front> front,
             std::shared_ptr<thread_list> threads);

  runtime::mailbox<dispatch_mail>& mails() noexcept { return box_; }

private:
  // One subscriber, as the dispatcher sees it.
  struct destination {
    link_ref link{};
    runtime::inlet<delivery> way{};
    runtime::resident_ref<actors::subscriber> at_home{};
    own_thread* apart = nullptr;      // lives as long as `way`
    std::vector<std::uint32_t> run{}; // of the present batch
  };

  bool on_bell() override;
  void on_stop() override;
  void on_mail_of(know_session&& mail) { session_ = std::move(mail.bell); }
  void on_mail_of(batch_ref&& batch);
  void on_mail_of(link_added&& mail);
  void on_mail_of(link_removed&& mail);

  void settle_in(destination& fresh);
  void route(inbound_batch& batch);
  void look_up(std::string_view topic);
  void deal_out(inbound_batch& batch, std::span<const std::uint32_t> indices);
  bool is_of_one_topic(const inbound_batch& batch);
  void send_whole(batch_ref&& batch, destination& to);
  void note_deferred(inbound_batch& batch, std::uint32_t index);
  void send(batch_ref& batch, destination& to, bool is_all);
  std::size_t apply_policy(destination& to);
  void give_up(inbound_batch& batch, std::uint32_t index);
  void end(destination& which) noexcept;

  std::shared_ptr<client_front> front_;
  std::shared_ptr<thread_list> threads_;
  runtime::mailbox<dispatch_mail> box_;
  runtime::outlet<dispatch_mail> outlet_;
  runtime::bell_ref session_;

  protocol::topic_index<destination*> index_;
  std::vector<destination*> awkward_; // filters with more levels than the index takes
  std::unordered_map<const subscription_link*, std::unique_ptr<destination>> destinations_;

  // What the last topic was, and who wanted it.
  std::string topic_;
  std::vector<destination*> wanted_;
  bool is_known_ = false;

  std::vector<destination*> touched_; // of the present batch
  settled_tray::list settled_;        // nobody decides about these
  std::size_t next_deferred_ = 0;
};

} // namespace troupe::actors
