// password_check: the authenticator that asks a password file.
//
//   name and password --remembered--> yes, at once
//                     --else--> queue --own thread: scrypt--> reply          (full: 0x89 at once, counted)
//
// Lives here: password_check, its options and counts.
// Holds:   scrypt runs on a thread of its own and never on a worker, so that no flood of CONNECTs slows
//          anybody's messages. At most `most_waiting` wait for it. A password that was right is remembered
//          by a keyed digest, so that whoever comes again does not wait; a new table forgets them all. A
//          name that nobody has takes as long as a wrong password. Who gives no name is no business of it.
// Threads: prove, replace, counts: anybody. A reply comes on the thread of its own.
// Errors:  bad_user_name_or_password; server_busy.
// Costs:   one keyed digest and a mutex for who is remembered; else what scrypt costs, elsewhere.
#pragma once

#include "access.hpp"
#include "password_file.hpp"

#include <array>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <unordered_map>

namespace troupe::brokerage {

class password_check final : public authenticator {
public:
  struct counts {
    std::uint64_t right = 0;      // found right by scrypt
    std::uint64_t wrong = 0;      // likewise, wrong
    std::uint64_t remembered = 0; // let in without it
    std::uint64_t busy = 0;       // turned away: too many waited
  };

  explicit password_check(password_table table, std::size_t most_waiting = 128);
  /// Ends after the password that is being looked at; who still waits gets no reply.
  ~password_check() override;

  std::optional<protocol::reason_code> prove(const identity& who, std::optional<protocol::octets> password,
                                             reply later) override;
  /// From now on this table counts, also for who waits.
  void replace(password_table table);
  counts count() const;

private:
  using digest = std::array<std::uint8_t, 32>;

  struct question {
    std::string user{};
    std::string password{};
    reply tell{};
  };

  digest digest_of(std::string_view user, std::string_view password) const;
  void work();
  void answer(question& one);

  const std::size_t most_waiting_;
  digest secret_{};      // of this run of the program; never changes
  const bool remembers_; // there is a secret
  mutable std::mutex mutex_;
  std::condition_variable changed_;                      // waiting_ or is_ending_
  std::shared_ptr<const password_table> table_;          // under mutex_, what follows too
  std::unordered_map<std::string, digest> remembered_{}; // names out of table_ alone: bounded by it
  std::deque<question> waiting_{};
  counts counts_{};
  bool is_ending_ = false;
  std::thread thread_; // last: it uses all of the above
};

} // namespace troupe::brokerage
