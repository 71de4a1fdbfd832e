#include "reload.hpp"

#include "broker_setup.hpp"

#include <algorithm>
#include <utility>

namespace troupe::brokerage {

reload::reload(broker& whose, config::broker_settings settings, std::shared_ptr<password_check> passwords,
               std::vector<std::string> bound)
    : broker_{whose},
      settings_{std::move(settings)},
      passwords_{std::move(passwords)},
      bound_{std::move(bound)} {}

reload::report reload::again(const config::sources& from) {
  report said;
  config::broker_settings wanted;
  said.problems = load(wanted, from).problems;
  if (!said.problems.empty()) return said;
  renew_passwords(wanted, said);
  if (!said.problems.empty()) return said; // or a new rule would meet the names of old
  renew_access(wanted, said);
  renew_certificates(wanted, said);
  note_others(wanted, said);
  return said;
}

void reload::renew_passwords(const config::broker_settings& wanted, report& said) {
  if (passwords_ == nullptr || wanted.password_file != settings_.password_file) return; // noted below
  password_reading read = read_passwords(wanted.password_file);
  if (!read.problems.empty()) {
    said.problems = std::move(read.problems);
    return;
  }
  said.notes.push_back("passwords of " + std::to_string(read.table.size()) + " users");
  passwords_->replace(std::move(read.table));
}

void reload::renew_access(const config::broker_settings& wanted, report& said) {
  broker_.set_access(access_of(wanted));
  settings_.acl = wanted.acl;
  settings_.acl_default = wanted.acl_default;
  settings_.allow_anonymous = wanted.allow_anonymous;
  said.notes.push_back(std::to_string(wanted.acl.size()) + " access rules");
}

void reload::renew_certificates(const config::broker_settings& wanted, report& said) {
  const auto now = settings_.endpoints();
  const auto next = wanted.endpoints();
  for (std::size_t each = 0; each < std::min({now.size(), next.size(), bound_.size()}); ++each) {
    if (!next[each].tls.is_set() || next[each].url != now[each].url) continue;
    const auto done = broker_.renew_tls(bound_[each], listen_options_of(next[each]).tls);
    if (done)
      said.notes.push_back("certificates of " + bound_[each]);
    else
      said.problems.push_back({"", 0, "listener.tls", next[each].url + ": " + done.error().message()});
    if (done && !settings_.listeners.empty()) settings_.listeners[each] = next[each];
  }
}

void reload::note_others(const config::broker_settings& wanted, report& said) const {
  if (!(wanted == settings_))
    said.notes.emplace_back("other settings have changed as well: they hold after a restart");
}

} // namespace troupe::brokerage
