#include "session_store.hpp"

#include "../protocol/errc.hpp"
#include "../runtime/record_file.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace troupe::actors {

namespace {

using protocol::packet_id;
using protocol::rung;
using runtime::record_errc;
using runtime::record_reader;

constexpr std::uint32_t application = 0x54525043; // "TRPC"
constexpr std::uint32_t format_version = 1;

namespace kind {
constexpr char filter = 'f';
constexpr char identity = 'i';
constexpr char publish = 'p';
constexpr char progress = 'q'; // behind publishes
constexpr char receipt = 'r';
} // namespace kind

rung rung_of(std::uint64_t number) noexcept {
  constexpr std::array known{rung::free, rung::puback, rung::pubrec, rung::pubcomp};
  return number < known.size() ? known[number] : rung::free;
}

} // namespace

// -- opening ------------------------------------------------------------------

session_store::session_store(std::shared_ptr<runtime::record_store> records, const client_options& options)
    : records_{std::move(records)}, client_id_{options.client_id}, version_{options.version} {}

protocol::result<std::unique_ptr<session_store>> session_store::open(const client_options& options) {
  std::shared_ptr<runtime::record_store> records = options.session_records;
  if (records == nullptr && options.session_file.empty()) return std::unique_ptr<session_store>{};
  if (records == nullptr) {
    auto file = runtime::record_file::open(options.session_file,
                                           {.application = application, .version = format_version});
    if (!file) return file.error();
    records = std::move(*file);
  }
  std::unique_ptr<session_store> made{new session_store{std::move(records), options}};
  if (const auto error = made->read(options)) return error;
  return made;
}

std::error_code session_store::read(const client_options& options) {
  bool is_legible = true;
  const auto error = records_->for_each(
      [&](std::string_view key, std::string_view value) { is_legible &= take(key, value); });
  if (error) return error;
  if (!is_legible) return record_errc::corrupt;
  if (has_owner_ && owner_ != options.client_id) return record_errc::other_owner;
  const auto is_stray = [](const past_publish& one) { return one.packet.empty(); };
  std::erase_if(past_.publishes, is_stray); // none should be
  std::stable_sort(past_.publishes.begin(), past_.publishes.end(),
                   [](const auto& a, const auto& b) { return a.rank < b.rank; });
  receipts_.insert(past_.receipts.begin(), past_.receipts.end());
  assigned_id_ = past_.assigned_id;
  has_session_ = past_.has_session;
  if (has_owner_) {
    version_ = past_.version;
  } else {
    past_.version = version_;
    write_identity();
  }
  return {};
}

bool session_store::take(std::string_view key_text, std::string_view value_text) {
  record_reader key{key_text};
  record_reader value{value_text};
  switch (key.letter()) {
  case kind::identity: return take_identity(value);
  case kind::publish: return take_publish(key, value);
  case kind::progress: return take_progress(key, value);
  case kind::receipt: past_.receipts.push_back(static_cast<packet_id>(key.number(2))); return key.ok();
  case kind::filter: {
    past_filter& made = past_.filters.emplace_back();
    made.filter = key.rest();
    made.line.quality = static_cast<qos>(value.number(1) % 3);
    made.line.no_local = value.number(1) != 0;
    made.line.retain_as_published = value.number(1) != 0;
    made.line.handling = static_cast<protocol::retain_handling>(value.number(1) % 3);
    return value.ok();
  }
  default: return false;
  }
}

bool session_store::take_identity(record_reader& value) {
  has_owner_ = true;
  past_.has_session = value.number(1) != 0;
  past_.version = value.number(1) == 4 ? protocol::version::v3_1_1 : protocol::version::v5_0;
  const auto size = value.number(2);
  const std::string_view both = value.rest();
  if (!value.ok() || both.size() < size) return false;
  owner_ = both.substr(0, size);
  past_.assigned_id = both.substr(size);
  return true;
}

bool session_store::take_publish(record_reader& key, record_reader& value) {
  past_publish& made = past_.publishes.emplace_back();
  made.sequence = key.number(8);
  made.asked = static_cast<std::int64_t>(value.number(8));
  made.packet = value.rest();
  last_sequence_ = std::max(last_sequence_, made.sequence);
  return key.ok() && value.ok();
}

bool session_store::take_progress(record_reader& key, record_reader& value) {
  const std::uint64_t sequence = key.number(8);
  const auto known =
      std::lower_bound(past_.publishes.begin(), past_.publishes.end(), sequence,
                       [](const past_publish& one, std::uint64_t n) { return one.sequence < n; });
  if (known == past_.publishes.end() || known->sequence != sequence) return key.ok();
  known->id = static_cast<packet_id>(value.number(2));
  known->where = rung_of(value.number(1));
  known->rank = value.number(8);
  last_sequence_ = std::max(last_sequence_, known->rank);
  return key.ok() && value.ok();
}

// -- the session ----------------------------------------------------------------

void session_store::write_identity() {
  value_.anew().number(has_session_ ? 1 : 0, 1).number(version_ == version::v3_1_1 ? 4 : 5, 1);
  value_.number(client_id_.size(), 2).text(client_id_).text(assigned_id_);
  changes_.put(key_.anew().letter(kind::identity).written(), value_.written());
}

void session_store::keep_session(bool is_resumed, std::string_view assigned_id) {
  if (!is_resumed) {
    for (const packet_id id : std::exchange(receipts_, {})) changes_.erase(key_of(kind::receipt, id, 2));
    for (const auto& [id, sequence] : std::exchange(ghosts_, {})) erase_publish(sequence);
  }
  if (has_session_ && assigned_id_ == assigned_id) return;
  has_session_ = true;
  assigned_id_ = assigned_id;
  write_identity();
}

void session_store::keep_filter(const protocol::subscription& line) {
  value_.anew().number(static_cast<std::uint8_t>(line.quality), 1).number(line.no_local ? 1 : 0, 1);
  value_.number(line.retain_as_published ? 1 : 0, 1).number(static_cast<std::uint8_t>(line.handling), 1);
  changes_.put(key_.anew().letter(kind::filter).text(line.filter).written(), value_.written());
}

void session_store::drop_filter(std::string_view filter) {
  changes_.erase(key_.anew().letter(kind::filter).text(filter).written());
}

// -- publishes ------------------------------------------------------------------

void session_store::keep_publish(protocol::request_token token, protocol::octets packet) {
  is_binding_ = true;
  const std::uint64_t sequence = ++last_sequence_;
  publishes_[token] = {sequence};
  value_.anew().number(static_cast<std::uint64_t>(wall_now().count()), 8).text(protocol::as_text(packet));
  changes_.add(key_of(kind::publish, sequence, 8), value_.written());
}

void session_store::restate(const past_publish& what, protocol::octets packet) {
  value_.anew().number(static_cast<std::uint64_t>(what.asked), 8).text(protocol::as_text(packet));
  changes_.put(key_of(kind::publish, what.sequence, 8), value_.written());
}

void session_store::speak(protocol::version v) {
  version_ = v;
  write_identity();
}

void session_store::keep_sent(protocol::request_token token, packet_id id, qos quality) {
  end_ghost(id);
  const auto known = publishes_.find(token);
  if (known == publishes_.end()) return;
  known->second.id = id;
  write_progress(known->second, quality == qos::at_least_once ? rung::puback : rung::pubrec, 0);
}

void session_store::keep_released(protocol::request_token token) {
  const auto known = publishes_.find(token);
  if (known != publishes_.end()) write_progress(known->second, rung::pubcomp, ++last_sequence_);
}

void session_store::write_progress(entry& which, rung where, std::uint64_t rank) {
  is_binding_ = true;
  which.where = where;
  value_.anew().number(which.id, 2).number(static_cast<std::uint8_t>(where), 1).number(rank, 8);
  changes_.put(key_of(kind::progress, which.sequence, 8), value_.written());
}

void session_store::erase_publish(std::uint64_t sequence) {
  changes_.erase(key_of(kind::publish, sequence, 8));
  changes_.erase(key_of(kind::progress, sequence, 8));
}

/// The machine keeps the id of such a publish until PUBCOMP comes, and says PUBREL where a connection is new:
/// that is what a later process is to know.
void session_store::give_up(entry& which) {
  if (which.where != rung::pubrec && which.where != rung::pubcomp) return erase_publish(which.sequence);
  end_ghost(which.id);
  write_progress(which, rung::pubcomp, ++last_sequence_);
  ghosts_.emplace(which.id, which.sequence);
}

void session_store::end_ghost(packet_id id) {
  if (ghosts_.empty()) return;
  if (const auto node = ghosts_.extract(id)) erase_publish(node.mapped());
}

void session_store::drop_publish(protocol::request_token token, bool is_ended_by_broker) {
  const auto node = publishes_.extract(token);
  if (!node) return;
  if (is_ended_by_broker)
    erase_publish(node.mapped().sequence);
  else
    give_up(node.mapped());
}

void session_store::leave_publish(protocol::request_token token) {
  if (const auto node = publishes_.extract(token)) left_.push_back(node.mapped());
}

void session_store::drop_left() {
  for (entry& each : left_) give_up(each);
  left_.clear();
}

// -- received at QoS 2 ------------------------------------------------------------

void session_store::keep_receipt(packet_id id) {
  is_binding_ = true;
  receipts_.insert(id);
  changes_.put(key_of(kind::receipt, id, 2), {});
}

void session_store::drop_receipt(packet_id id) {
  if (receipts_.erase(id) == 0) return;
  is_binding_ = true; // the id may stand for another message as soon as PUBCOMP is heard
  changes_.erase(key_of(kind::receipt, id, 2));
}

// -- commits --------------------------------------------------------------------

std::uint64_t session_store::hand_over() {
  if (!changes_.empty()) {
    const std::uint64_t ticket = records_->submit(changes_, told_);
    if (std::exchange(is_binding_, false)) binding_ticket_ = ticket;
  }
  return is_kept(binding_ticket_) ? 0 : binding_ticket_;
}

} // namespace troupe::actors
