// supervisor: the actor that sees to it that there is a connection, or that there is none.
//
//     begin, connect --> dialling --transport--> up (handshaking, connected) --lost--> waiting --> dialling ...
//                            \_______fails________________________________________________/
//     up, dialling, waiting --user's end--> (disconnecting) --> disconnected
//     up, dialling --an end that dialling again would not mend--> faulted
//     up --the broker names another one--> dialling
//
// Lives here: the actor supervisor: dialler, backoff, the state that everybody sees.
// Holds:   one connection at a time; one dialling at a time. The user's wish to end is looked at before
//          anything is dialled. Whoever waits for a connection is answered once.
// Threads: lives on its home's thread, also where CAF's own scheduler runs actors (see connection).
// Errors:  faults: refusals that will not change, a session taken over, settings that no packet can say,
//          the limit of attempts. All else is tried again.
// Costs:   nothing while connected.
#pragma once

#include "client_front.hpp"
#include "client_log.hpp"
#include "connection.hpp"
#include "itinerary.hpp"
#include "messages.hpp"
#include "session.hpp"
#include "settler.hpp"

#include "../runtime/backoff.hpp"
#include "../runtime/dialer.hpp"
#include "../runtime/endpoint.hpp"
#include "../runtime/resident.hpp"

#include <optional>
#include <string>
#include <vector>

namespace troupe::actors {

struct supervisor_options {
  std::vector<runtime::endpoint> brokers{};
  std::error_code bad_settings{}; // nothing is dialled then
  std::string client_id{};        // for the log
  runtime::dial_options dial{};
  runtime::backoff_options backoff{};
  std::uint64_t seed = 0; // of the backoff's chance
  std::chrono::milliseconds stable_after{};
  std::uint32_t attempts_limit = 0;
  std::uint16_t redirects_limit = 0;
  tls_options tls{}; // for a way with TLS that only a redirect leads to
  bool reconnect = true;
  bool dial_at_once = true;
  connection_options connection{};
};

class supervisor final : public runtime::resident {
public:
  supervisor(caf::actor_config& config, runtime::place where, std::shared_ptr<client_front> front,
             supervisor_options options);

  runtime::mailbox<supervisor_mail>& mails() noexcept { return box_; }

private:
  enum class phase : std::uint8_t { fresh, dialling, up, waiting, disconnected, faulted };

  bool on_bell() override;
  void on_stop() override;
  bool work();
  void shut() noexcept;

  void on_mail_of(begin&& mail);
  void on_mail_of(session_up&& mail);
  void on_mail_of(session_down&& mail);
  void on_mail_of(user_connect&& mail);
  void on_mail_of(user_connected&& mail);
  void on_mail_of(user_ended&& mail);
  void on_mail_of(user_disconnect&& mail);
  void on_mail_of(user_withdrawn&& mail);

  void answer_if_up();
  static const asker* asker_of(const supervisor_mail& mail) noexcept;
  void dial();
  std::error_code equip(const runtime::endpoint& broker);
  void on_dialled(protocol::result<runtime::transport_ptr> answer);
  void on_redirect(const session_down& mail);
  void try_again(std::error_code why);
  bool ask_hooks(std::error_code why, runtime::duration& wait) noexcept;
  void rest();
  void fault(std::error_code why);
  void refuse(std::error_code why);
  void answer_all(const outcome& how);
  void tell_end(const outcome& how);
  void show(client_state state, std::error_code why = {}) noexcept;
  template <class Fill>
  void log(log_level level, client_event what, Fill fill) const;
  std::string broker_name() const;

  std::shared_ptr<client_front> front_;
  const supervisor_options options_;
  runtime::mailbox<supervisor_mail> box_;
  runtime::outlet<supervisor_mail> outlet_;

  // The home's thread only.
  settler ends_;
  runtime::resident_ref<session> session_;
  runtime::inlet<session_mail> to_session_;
  std::optional<runtime::dialer> dialer_;
  itinerary brokers_;
  runtime::backoff backoff_;
  runtime::deadline retry_{runtime::calls<&supervisor::dial>, *this};
  runtime::resident_ref<connection> connection_;
  std::vector<asker> waiting_;  // for a connection
  std::vector<asker> ending_;   // for the end of it
  std::vector<asker> mourning_; // for an end, whoever brings it about
  phase phase_ = phase::fresh;
  bool is_ending_ = false; // the user's end is under way
  bool is_shut_ = false;
  bool is_equipped_ = false;      // with what dialling with TLS needs
  std::uint32_t failures_ = 0;    // in a row
  std::uint64_t connections_ = 0; // numbers
  runtime::time_point dialled_at_{};
  runtime::time_point up_since_{}; // of the present connection
  std::error_code fault_{};
};

} // namespace troupe::actors
