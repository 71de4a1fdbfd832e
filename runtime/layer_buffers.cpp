#include "layer_buffers.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace troupe::runtime {

protocol::octets layer_input::unread() const noexcept {
  if (empty()) return {};
  return {slab_->data() + begin_, end_ - begin_};
}

octet_stream::step layer_input::fill(octet_stream& below, bool& is_drained) {
  if (slab_ == nullptr) slab_ = pool_.take(usual_read);
  if (begin_ != 0) {
    std::memmove(slab_->data(), slab_->data() + begin_, end_ - begin_);
    end_ -= std::exchange(begin_, 0);
  }
  iovec into{slab_->data() + end_, slab_->capacity() - end_};
  const auto got = below.read({&into, 1});
  end_ += got.count;
  is_drained = got.count < into.iov_len && !below.has_unread();
  return got;
}

void layer_input::give_up() noexcept {
  begin_ = end_ = 0;
  if (slab_ != nullptr) std::exchange(slab_, nullptr)->release(1);
}

protocol::octet* layer_output::room(std::size_t count) {
  if (slab_ != nullptr && slab_->capacity() - end_ >= count) return slab_->data() + end_;
  slab* const larger = pool_.take(size() + count);
  if (!empty()) std::memcpy(larger->data(), slab_->data() + begin_, size());
  end_ -= std::exchange(begin_, 0);
  if (slab_ != nullptr) slab_->release(1);
  slab_ = larger;
  return slab_->data() + end_;
}

void layer_output::append(protocol::octets what) {
  if (what.empty()) return;
  std::memcpy(room(what.size()), what.data(), what.size());
  commit(what.size());
}

std::error_code layer_output::send(octet_stream& below) noexcept {
  if (below.has_unsent()) { // a layer itself; nobody else asks it to go on
    const auto put = below.write({});
    if (put.error && !put.would_block()) return put.error;
    if (below.has_unsent()) return {};
  }
  while (!empty()) {
    iovec from{slab_->data() + begin_, size()};
    const auto put = below.write({&from, 1});
    begin_ += put.count;
    if (put.error) return put.would_block() ? std::error_code{} : put.error;
    if (put.count < from.iov_len) return {};
  }
  clear();
  return {};
}

void layer_output::clear() noexcept {
  begin_ = end_ = 0;
  if (slab_ != nullptr) std::exchange(slab_, nullptr)->release(1);
}

} // namespace troupe::runtime
