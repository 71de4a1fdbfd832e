// reload: what of a program's settings can change while clients are connected.
//
// Lives here: reload: access rules, allow_anonymous, passwords, certificates.
// Holds:   what is wrong changes nothing, and the broker goes on as before. Every other setting holds after
//          a restart, and whoever changed one is told so.
// Threads: one outside thread.
// Errors:  as problems; `notes` are for the log, not errors.
#pragma once

#include "broker.hpp"
#include "password_check.hpp"

#include "../config/broker_settings.hpp"
#include "../config/load.hpp"
#include "../config/problem.hpp"

#include <memory>
#include <string>
#include <vector>

namespace troupe::brokerage {

class reload {
public:
  struct report {
    std::vector<config::problem> problems{};
    std::vector<std::string> notes{};
  };

  /// `passwords` may be null; `bound` are the endpoints of settings.endpoints(), as listen() answered them.
  reload(broker& whose, config::broker_settings settings, std::shared_ptr<password_check> passwords,
         std::vector<std::string> bound);

  /// Reads everything again.
  report again(const config::sources& from);

private:
  void renew_passwords(const config::broker_settings& wanted, report& said);
  void renew_access(const config::broker_settings& wanted, report& said);
  void renew_certificates(const config::broker_settings& wanted, report& said);
  void note_others(const config::broker_settings& wanted, report& said) const;

  broker& broker_;
  config::broker_settings settings_; // that hold now
  std::shared_ptr<password_check> passwords_;
  std::vector<std::string> bound_;
};

} // namespace troupe::brokerage
