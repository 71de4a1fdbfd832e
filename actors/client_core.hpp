// client_core: a client from the inside: its actors, its doors, and how both begin and end.
//
// Lives here: client_core.
// Holds:   the actors live from the constructor to end(). After end() nothing of the user's runs any more
//          and every operation has been answered.
// Threads: publish and the operations: anybody. Constructor: anybody; end(): the client's destructor.
// Errors:  bad settings make a client that is faulted.
// Costs:   a publish: one atomic step to join the run or to push, and the writing of its packet or record.
#pragma once

#include "client.hpp"
#include "client_front.hpp"
#include "dispatcher.hpp"
#include "session.hpp"
#include "supervisor.hpp"

#include "../runtime/front_door.hpp"
#include "../runtime/house.hpp"

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>

namespace troupe::actors {

class client_core : public std::enable_shared_from_this<client_core> {
public:
  client_core(stage& where, client_options options);
  client_core(const client_core&) = delete;
  client_core& operator=(const client_core&) = delete;
  ~client_core();

  const client_front& front() const noexcept { return *front_; }
  const client_options& options() const noexcept { return options_; }
  /// Why the session's store cannot be used.
  std::error_code store_fault() const noexcept { return store_.error(); }
  client_depths depths() const noexcept;

  // -- publish -------------------------------------------------------------------
  pending<outcome> publish(const publish_request& what);
  publish_place begin_publish(const publish_request& what, std::size_t waiter_size);
  void finish_publish(publish_place place, waiter* who);
  /// `who` is answered by the last of them to end.
  void publish_many(std::span<const publication> messages, const asker& who);

  // -- everything else -------------------------------------------------------------
  /// `what` goes to the session, behind everything asked for before.
  void ask(std::unique_ptr<control_request> what);
  /// A cell for one answer, and the pending that waits for it.
  cell take_cell();
  void set_intent(bool wants_end) noexcept { front_->wants_end.store(wants_end, std::memory_order_release); }
  /// Answers somebody whose request never reached the session.
  void answer(const asker& who, const outcome& how);
  std::shared_ptr<client_front> shared_front() const noexcept { return front_; }

  /// Ends the connection in order, within its time, then the actors.
  void end() noexcept;

private:
  using front_door = runtime::front_door<request_item, door>;
  class many;

  static protocol::publish as_packet(const publish_request& what) noexcept;
  front_door::pass enter();
  pending<outcome> publish_carefully(const publish_request& what);
  /// The record, written behind some door; null and an error when there was no room in time.
  publish_record* write(const publish_request& what, std::size_t waiter_size,
                        std::optional<front_door::pass>& pass, std::error_code& refusal);
  bool wait_for_room(const publish_request& what, std::size_t waiter_size,
                     std::chrono::steady_clock::time_point until) noexcept;
  // Both leave the door before a refusal is told: what is told may end the client, which waits for doors.
  void push(front_door::pass pass, publish_record& record);
  void push_run(front_door::pass pass, door_run& run);
  void push_all(std::optional<front_door::pass>& pass, std::span<runtime::ticketed<request_item>> items);
  /// A publish or a run of them that the session will never take: errc::closed.
  void refuse(user_request& what);

  const client_options options_;
  runtime::house& house_;
  runtime::home& home_;
  std::shared_ptr<settlement_store> cells_;   // the stage's
  std::shared_ptr<runtime::slab_rack> slabs_; // likewise
  std::shared_ptr<client_front> front_;
  protocol::result<std::unique_ptr<session_store>> store_; // empty once the session has it
  std::shared_ptr<thread_list> threads_ = std::make_shared<thread_list>();
  runtime::resident_ref<supervisor> supervisor_;
  runtime::resident_ref<dispatcher> dispatcher_;
  runtime::resident_ref<session> session_;
  front_door doors_;
  std::mutex late_mutex_;              // taken by those who ask after the end
  settlement_ring late_cells_;         // under late_mutex_
  std::atomic<bool> has_ended_{false}; // by whoever ends it first
};

} // namespace troupe::actors
