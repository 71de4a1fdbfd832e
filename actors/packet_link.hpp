// packet_link: the actor behind a packet_client.
//
//     fresh --dial--> dialling --transport--> open --closed by anybody--> over
//                         \_______fails, or the user's end_______________/
//
// Lives here: packet_wish, the actor packet_link.
// Holds:   packet_events are called here, on_end once and last. Wishes wait in their mailbox until there
//          is a connection that takes them.
// Threads: lives on its home's thread, also where CAF's own scheduler runs actors (see connection).
#pragma once

#include "connection.hpp"
#include "messages.hpp"
#include "packet_client.hpp"
#include "supervisor.hpp"

#include "../runtime/dialer.hpp"
#include "../runtime/outlet.hpp"
#include "../runtime/resident.hpp"
#include "../runtime/slab_rack.hpp"

#include <optional>
#include <vector>

namespace troupe::actors {

struct packet_wish {
  std::vector<protocol::octet> bytes{};
  after_batch then = after_batch::go_on;
  std::size_t octets() const noexcept { return bytes.size(); }
};

class packet_link final : public runtime::resident {
public:
  packet_link(caf::actor_config& config, runtime::place where, supervisor_options options,
              packet_events events);

  runtime::mailbox<packet_wish>& wishes() noexcept { return wish_box_; }

private:
  bool on_bell() override;
  void on_stop() override;
  bool work();
  void shut(std::error_code why) noexcept;
  void dial();
  void on_dialled(protocol::result<runtime::transport_ptr> answer);

  void on_mail_of(batch_ref&& batch);
  void on_mail_of(link_up&& up);
  void on_mail_of(link_writable&&) {}
  void on_mail_of(link_down&& down);
  void on_mail_of(refuse_all&&) {}
  void on_mail_of(accept_again&&) {}

  bool may_send() noexcept;
  void carry_out(packet_wish&& wish);
  void hand_over(after_batch then);
  template <class Call>
  void tell(Call call) noexcept;

  const supervisor_options options_;
  packet_events events_;
  runtime::mailbox<session_mail> mail_box_;
  runtime::mailbox<packet_wish> wish_box_;
  runtime::outlet<session_mail> mails_;
  runtime::outlet<packet_wish> wishes_;

  // The home's thread only.
  runtime::leased_pool slabs_;
  runtime::slab_outbox outbox_;
  outbound_pool outbound_;
  std::optional<runtime::dialer> dialer_;
  runtime::resident_ref<connection> connection_;
  std::optional<link_up> link_;
  std::optional<std::error_code> end_; // it is over, and on_end has not been called
  bool is_begun_ = false;
  bool is_over_ = false;
};

} // namespace troupe::actors
