#include "tls_stream.hpp"

#include "layer_buffers.hpp"
#include "tls_context.hpp"
#include "tls_error.hpp"
#include "tls_failure.hpp"

#include <openssl/err.h>
#include <openssl/x509v3.h>

#include <algorithm>
#include <cstring>
#include <utility>

namespace troupe::runtime {

namespace {

constexpr std::size_t record = std::size_t{16} << 10U;
constexpr std::size_t records_per_write = 7; // with what TLS adds, they fill a slab of 128 KB
constexpr std::size_t added_to_record = 256; // more than any cipher adds

class tls_stream final : public octet_stream {
public:
  tls_stream(slab_pool& pool, std::unique_ptr<octet_stream> below, std::shared_ptr<const tls_context> context)
      : pool_{pool}, below_{std::move(below)}, context_{std::move(context)}, in_{pool}, out_{pool} {}
  ~tls_stream() override { SSL_free(ssl_); }

  bool set_up(const tls_goal& goal);

  progress greet() noexcept override;
  step read(std::span<iovec> into) noexcept override;
  step write(std::span<iovec> from) noexcept override;
  bool has_unread() const noexcept override {
    return is_over_ || failure_ || !in_.empty() || SSL_pending(ssl_) > 0 || below_->has_unread();
  }
  bool has_unsent() const noexcept override { return !out_.empty() || below_->has_unsent(); }
  void wait(readiness_handler handler, readiness which) override { below_->wait(std::move(handler), which); }
  void end_writing() noexcept override;
  void close() noexcept override { below_->close(); }
  std::string peer_name() const override { return below_->peer_name(); }
  std::string certified_name() const override { return user_; }

private:
  static BIO_METHOD* method();
  static int give(BIO* self, char* into, int size);
  static int take(BIO* self, const char* from, int size);
  static long control(BIO*, int what, long, void*) { return what == BIO_CTRL_FLUSH ? 1 : 0; }

  void expect(const std::string& host);
  std::error_code judge_peer();
  progress greet_failed(std::error_code why) noexcept;
  bool open_records(iovec& into, std::size_t& count);
  bool fetch();
  std::size_t seal_records(std::span<iovec>& from, std::size_t& offset);
  std::size_t seal(const void* plain, std::size_t count);
  std::error_code push();

  slab_pool& pool_;
  std::unique_ptr<octet_stream> below_;
  std::shared_ptr<const tls_context> context_;
  SSL* ssl_ = nullptr;
  layer_input in_;   // sealed
  layer_output out_; // sealed
  std::string host_;
  std::string user_;
  std::error_code failure_; // to be told by the next read
  bool is_below_greeted_ = false;
  bool is_established_ = false;
  bool is_drained_ = false; // the stream below has nothing more now
  bool is_over_ = false;    // the peer has said close_notify
  bool is_ended_ = false;   // we have
  bool is_below_ended_ = false;
};

// --- OpenSSL's view of us ---------------------------------------------------------------------------

BIO_METHOD* tls_stream::method() {
  static BIO_METHOD* const made = [] {
    BIO_METHOD* const fresh = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "troupe");
    BIO_meth_set_read(fresh, &give);
    BIO_meth_set_write(fresh, &take);
    BIO_meth_set_ctrl(fresh, &control);
    return fresh;
  }();
  return made;
}

int tls_stream::give(BIO* self, char* into, int size) {
  auto& stream = *static_cast<tls_stream*>(BIO_get_data(self));
  BIO_clear_retry_flags(self);
  const protocol::octets unread = stream.in_.unread();
  if (unread.empty()) {
    BIO_set_retry_read(self);
    return -1;
  }
  const std::size_t count = std::min(unread.size(), static_cast<std::size_t>(size));
  std::memcpy(into, unread.data(), count);
  stream.in_.consume(count);
  return static_cast<int>(count);
}

int tls_stream::take(BIO* self, const char* from, int size) {
  auto& stream = *static_cast<tls_stream*>(BIO_get_data(self));
  BIO_clear_retry_flags(self);
  stream.out_.append({reinterpret_cast<const protocol::octet*>(from), static_cast<std::size_t>(size)});
  return size;
}

bool tls_stream::set_up(const tls_goal& goal) {
  ssl_ = SSL_new(context_->handle());
  BIO* const bio = ssl_ == nullptr || method() == nullptr ? nullptr : BIO_new(method());
  if (bio == nullptr) return false;
  BIO_set_data(bio, this);
  BIO_set_init(bio, 1);
  SSL_set_bio(ssl_, bio, bio);
  if (context_->role() == tls_role::server) {
    SSL_set_accept_state(ssl_);
    return true;
  }
  SSL_set_connect_state(ssl_);
  host_ = goal.host;
  expect(context_->options().server_name.empty() ? host_ : context_->options().server_name);
  constexpr unsigned char web[] = "\x08http/1.1";
  if (goal.is_web) SSL_set_alpn_protos(ssl_, web, sizeof web - 1);
  return true;
}

void tls_stream::expect(const std::string& host) {
  std::string name = host.substr(0, host.find('%')); // without the zone of an address
  X509_VERIFY_PARAM* const checks = SSL_get0_param(ssl_);
  if (X509_VERIFY_PARAM_set1_ip_asc(checks, name.c_str()) == 1) return;
  ERR_clear_error();
  if (name.ends_with('.')) name.pop_back();
  SSL_set_tlsext_host_name(ssl_, name.c_str());
  X509_VERIFY_PARAM_set_hostflags(checks, X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS);
  X509_VERIFY_PARAM_set1_host(checks, name.data(), name.size());
}

// --- greeting ---------------------------------------------------------------------------------------

octet_stream::progress tls_stream::greet() noexcept {
  if (!is_below_greeted_) {
    const progress below = below_->greet();
    if (below.error || !below.is_done) return below;
    is_below_greeted_ = true;
  }
  for (;;) {
    ERR_clear_error();
    const int done = is_established_ ? 1 : SSL_do_handshake(ssl_);
    const int why = done == 1 ? SSL_ERROR_NONE : SSL_get_error(ssl_, done);
    if (done != 1 && why != SSL_ERROR_WANT_READ) return greet_failed(tls_failure(ssl_));
    if (const auto error = push()) return greet_failed(error);
    if (done == 1 && !std::exchange(is_established_, true))
      if (const auto error = judge_peer()) return greet_failed(error);
    if (has_unsent()) return progress::waits_for(readiness::to_write);
    if (done == 1) break;
    const auto got = in_.fill(*below_, is_drained_);
    if (got.would_block()) {
      in_.rest();
      return progress::waits_for(readiness::to_read);
    }
    if (got.error) return greet_failed(got.error);
    if (got.count == 0) return greet_failed(tls_errc::closed_in_handshake);
  }
  in_.rest();
  return {};
}

octet_stream::progress tls_stream::greet_failed(std::error_code why) noexcept {
  static_cast<void>(push()); // the alert that says why, if it finds room
  return {why, false, readiness::to_read};
}

std::error_code tls_stream::judge_peer() {
  const auto card = certificate_of(ssl_);
  tls_peer peer{.host = host_,
                .common_name = card.common_name,
                .certificate_sha256 = card.certificate_sha256,
                .key_sha256 = card.key_sha256,
                .certificate_der = card.der};
  const tls_options& options = context_->options();
  if (options.name_is_user && SSL_get_verify_mode(ssl_) != SSL_VERIFY_NONE) user_ = card.common_name;
  return context_->judge(peer);
}

// --- reading ----------------------------------------------------------------------------------------

octet_stream::step tls_stream::read(std::span<iovec> into) noexcept {
  std::size_t count = 0;
  is_drained_ = false;
  for (iovec& each : into)
    if (!open_records(each, count)) break;
  in_.rest();
  SSL_free_buffers(ssl_); // as far as nothing lies in them: an idle connection owns none
  if (!out_.empty()) static_cast<void>(push()); // an answer of TLS itself; an error shows itself again
  if (count != 0) return {count, {}};
  if (failure_) return {0, failure_};
  if (is_over_) return {0, {}};
  return {0, std::make_error_code(std::errc::operation_would_block)};
}

/// Fills `into`; false when there is nothing more now.
bool tls_stream::open_records(iovec& into, std::size_t& count) {
  std::size_t done = 0;
  while (done < into.iov_len) {
    if (is_over_ || failure_) return false;
    ERR_clear_error();
    std::size_t got = 0;
    const int status = SSL_read_ex(ssl_, static_cast<char*>(into.iov_base) + done, into.iov_len - done, &got);
    if (status == 1) {
      done += got;
      count += got;
      continue;
    }
    switch (SSL_get_error(ssl_, status)) {
    case SSL_ERROR_WANT_READ:
      if (!fetch()) return false;
      break;
    case SSL_ERROR_ZERO_RETURN: is_over_ = true; return false;
    default: failure_ = tls_failure(ssl_); return false;
    }
  }
  return true;
}

bool tls_stream::fetch() {
  if (is_drained_) return false;
  const auto got = in_.fill(*below_, is_drained_);
  if (got.count != 0) return true;
  if (!got.error) failure_ = tls_errc::truncated;
  if (got.error && !got.would_block()) failure_ = got.error;
  return false;
}

// --- writing ----------------------------------------------------------------------------------------

octet_stream::step tls_stream::write(std::span<iovec> from) noexcept {
  std::size_t count = 0;
  std::size_t offset = 0; // in from.front()
  for (;;) {
    if (const auto error = push()) return {count, error};
    if (has_unsent() || from.empty()) break;
    const std::size_t sealed = seal_records(from, offset);
    count += sealed;
    if (sealed == 0 && !from.empty()) return {count, failure_};
  }
  if (count == 0 && has_unsent()) return {0, std::make_error_code(std::errc::operation_would_block)};
  return {count, {}};
}

/// Seals a slab's worth of `from`, which it advances. Small pieces share a record.
std::size_t tls_stream::seal_records(std::span<iovec>& from, std::size_t& offset) {
  std::size_t total = 0;
  for (const iovec& each : from) total += each.iov_len;
  total = std::min(total - offset, records_per_write * record);
  if (total == 0) {
    from = {};
    return 0;
  }
  static_cast<void>(out_.room(total + (total / record + 1) * added_to_record));
  slab* mixed = nullptr;
  std::size_t count = 0;
  while (count < total) {
    const std::size_t wanted = std::min(total - count, record);
    std::size_t filled = 0;
    const iovec& first = from.front();
    if (first.iov_len - offset >= wanted) {
      filled = seal(static_cast<const char*>(first.iov_base) + offset, wanted);
      offset += filled;
    } else {
      if (mixed == nullptr) mixed = pool_.take(record);
      auto rest = from;
      for (std::size_t skip = offset; filled < wanted; rest = rest.subspan(1), skip = 0) {
        const std::size_t part = std::min(rest.front().iov_len - skip, wanted - filled);
        std::memcpy(mixed->data() + filled, static_cast<const char*>(rest.front().iov_base) + skip, part);
        filled += part;
      }
      filled = seal(mixed->data(), filled);
      offset += filled;
    }
    if (filled == 0) break;
    count += filled;
    while (!from.empty() && offset >= from.front().iov_len) {
      offset -= from.front().iov_len;
      from = from.subspan(1);
    }
  }
  if (mixed != nullptr) mixed->release(1);
  SSL_free_buffers(ssl_);
  return count;
}

std::size_t tls_stream::seal(const void* plain, std::size_t count) {
  ERR_clear_error();
  std::size_t done = 0;
  if (SSL_write_ex(ssl_, plain, count, &done) != 1) {
    failure_ = tls_failure(ssl_);
    return 0;
  }
  return done;
}

std::error_code tls_stream::push() {
  const auto error = out_.send(*below_);
  if (!error && out_.empty() && is_ended_ && !std::exchange(is_below_ended_, true)) below_->end_writing();
  return error;
}

void tls_stream::end_writing() noexcept {
  if (!is_established_ || std::exchange(is_ended_, true)) return;
  ERR_clear_error();
  if (!failure_) SSL_shutdown(ssl_);
  static_cast<void>(push());
}

} // namespace

std::unique_ptr<octet_stream> make_tls_stream(slab_pool& pool, std::unique_ptr<octet_stream> below,
                                              std::shared_ptr<const tls_context> context,
                                              const tls_goal& goal) {
  auto made = std::make_unique<tls_stream>(pool, std::move(below), std::move(context));
  if (!made->set_up(goal)) return nullptr;
  return made;
}

} // namespace troupe::runtime
