#include "packing.hpp"

#include "../protocol/outbox.hpp"

#include <atomic>
#include <new>
#include <vector>

namespace troupe::brokerage {

namespace {

using protocol::octet;

/// Octets that several runs share.
class block final : public protocol::keeper {
public:
  explicit block(std::size_t size) : octets(size + protocol::read_slack) {}
  void retain(std::uint32_t count) noexcept override { count_.fetch_add(count, std::memory_order_relaxed); }
  void release(std::uint32_t count) noexcept override {
    if (count_.fetch_sub(count, std::memory_order_acq_rel) == count) delete this;
  }

  std::vector<octet> octets;

private:
  ~block() = default;
  std::atomic<std::uint32_t> count_{1}; // everybody who holds a reference; the last one deletes
};

/// An outbox over one block that is large enough.
class block_outbox final : public protocol::outbox {
public:
  explicit block_outbox(block& into) : block_{into} {
    cursor_ = block_.octets.data();
    end_ = cursor_ + block_.octets.size();
  }
  void borrow(protocol::octets payload, protocol::keeper*) override {
    octet* to = reserve(payload.size());
    for (const octet one : payload) *to++ = one;
    commit(to);
  }
  std::size_t written() const noexcept { return static_cast<std::size_t>(cursor_ - block_.octets.data()); }

private:
  void grow(std::size_t count) override {
    const std::size_t used = written();
    block_.octets.resize(2 * (used + count) + protocol::read_slack);
    cursor_ = block_.octets.data() + used;
    end_ = block_.octets.data() + block_.octets.size();
  }

  block& block_;
};

} // namespace

publish_run pack(const protocol::publish& packet, session_number from, protocol::time_point received) {
  protocol::publish plain = packet;
  plain.topic_alias = 0;
  plain.dup = false;
  plain.id = plain.quality == protocol::qos::at_most_once ? protocol::packet_id{0} : protocol::packet_id{1};

  auto* const kept = new block{protocol::encoded_size(plain, protocol::version::v5_0)};
  publish_run run{.owner = protocol::keeper_ref::adopt(kept), .from = from, .received = received};
  block_outbox out{*kept};
  if (!protocol::encode_publish(out, plain, protocol::version::v5_0)) return {.count = 0};
  run.frames = {kept->octets.data(), out.written()};
  run.largest = static_cast<std::uint32_t>(run.frames.size());
  return run;
}

} // namespace troupe::brokerage
