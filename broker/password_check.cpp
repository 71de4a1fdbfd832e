#include "password_check.hpp"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/rand.h>

#include <utility>

namespace troupe::brokerage {

using protocol::reason_code;

namespace {

/// What a name that nobody has is compared with: as dear as what the others cost.
password_hash stranger(const password_table& table) {
  return password_hash::of_nobody(table.empty() ? scrypt_cost{} : table.begin()->second.cost());
}

} // namespace

password_check::password_check(password_table table, std::size_t most_waiting)
    : most_waiting_{most_waiting},
      remembers_{RAND_bytes(secret_.data(), static_cast<int>(secret_.size())) == 1},
      table_{std::make_shared<const password_table>(std::move(table))} {
  thread_ = std::thread{[this] { work(); }};
}

password_check::~password_check() {
  {
    const std::lock_guard lock{mutex_};
    is_ending_ = true;
  }
  changed_.notify_all();
  thread_.join();
  for (question& one : waiting_) OPENSSL_cleanse(one.password.data(), one.password.size());
  OPENSSL_cleanse(secret_.data(), secret_.size());
}

std::optional<reason_code> password_check::prove(const identity& who,
                                                 std::optional<protocol::octets> password, reply later) {
  if (!who.user_name) return reason_code::success;
  if (!password) return reason_code::bad_user_name_or_password;
  const std::string_view given = protocol::as_text(*password);
  const digest seen = digest_of(*who.user_name, given);
  {
    const std::lock_guard lock{mutex_};
    const auto known = remembered_.find(std::string{*who.user_name});
    if (known != remembered_.end() && CRYPTO_memcmp(known->second.data(), seen.data(), seen.size()) == 0) {
      ++counts_.remembered;
      return reason_code::success;
    }
    if (waiting_.size() >= most_waiting_) {
      ++counts_.busy;
      return reason_code::server_busy;
    }
    waiting_.push_back(
        {.user = std::string{*who.user_name}, .password = std::string{given}, .tell = std::move(later)});
  }
  changed_.notify_one();
  return {};
}

void password_check::replace(password_table table) {
  auto fresh = std::make_shared<const password_table>(std::move(table));
  const std::lock_guard lock{mutex_};
  table_.swap(fresh);
  remembered_.clear();
}

password_check::counts password_check::count() const {
  const std::lock_guard lock{mutex_};
  return counts_;
}

/// Length first, so that no two pairs of texts look alike.
password_check::digest password_check::digest_of(std::string_view user, std::string_view password) const {
  std::string text = std::to_string(user.size());
  text.append(":").append(user).append(password);
  digest made{};
  unsigned size = 0;
  HMAC(EVP_sha256(), secret_.data(), static_cast<int>(secret_.size()),
       reinterpret_cast<const unsigned char*>(text.data()), text.size(), made.data(), &size);
  OPENSSL_cleanse(text.data(), text.size());
  return made;
}

void password_check::work() {
  for (;;) {
    question one;
    {
      std::unique_lock lock{mutex_};
      changed_.wait(lock, [this] { return is_ending_ || !waiting_.empty(); });
      if (is_ending_) return;
      one = std::move(waiting_.front());
      waiting_.pop_front();
    }
    answer(one);
    OPENSSL_cleanse(one.password.data(), one.password.size());
  }
}

void password_check::answer(question& one) {
  std::shared_ptr<const password_table> table;
  {
    const std::lock_guard lock{mutex_};
    table = table_;
  }
  const auto entry = table->find(one.user);
  const protocol::octets given = protocol::as_octets(one.password);
  const bool is_right = entry != table->end() ? entry->second.fits(given) : stranger(*table).fits(given);
  {
    const std::lock_guard lock{mutex_};
    ++(is_right ? counts_.right : counts_.wrong);
    // not for a table that was replaced meanwhile
    if (remembers_ && is_right && table == table_) remembered_[one.user] = digest_of(one.user, one.password);
  }
  one.tell(is_right ? reason_code::success : reason_code::bad_user_name_or_password);
}

} // namespace troupe::brokerage
