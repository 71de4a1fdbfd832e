#include "own_thread.hpp"

#include <algorithm>
#include <utility>

namespace troupe::actors {

void thread_list::add(std::thread thread, std::shared_ptr<std::atomic<bool>> has_ended) {
  const std::scoped_lock lock{mutex_};
  std::erase_if(entries_, [](entry& each) {
    if (!each.has_ended->load(std::memory_order_acquire)) return false;
    each.thread.join();
    return true;
  });
  entries_.push_back({std::move(thread), std::move(has_ended)});
}

void thread_list::join() noexcept {
  std::vector<entry> all;
  {
    const std::scoped_lock lock{mutex_};
    all.swap(entries_);
  }
  for (entry& each : all) {
    if (each.thread.get_id() == std::this_thread::get_id())
      each.thread.detach();
    else
      each.thread.join();
  }
}

own_thread& own_thread::start(thread_list& threads, handler_runner runner, std::size_t hands) {
  auto* const made = new own_thread{std::move(runner), hands > 1};
  std::size_t begun = 0;
  try {
    for (; begun != std::max<std::size_t>(hands, 1); ++begun) made->begin(threads);
  } catch (...) {
    if (begun == 0) {
      made->release();
      throw;
    }
  }
  made->release(); // ours; the threads hold it, and whoever has its bell
  return *made;
}

void own_thread::begin(thread_list& threads) {
  retain();
  hands_.fetch_add(1, std::memory_order_relaxed);
  auto has_ended = std::make_shared<std::atomic<bool>>(false);
  try {
    std::thread thread{[this, has_ended] {
      if (is_shared_)
        work_along(runner_);
      else
        work();
      release();
      has_ended->store(true, std::memory_order_release);
    }};
    threads.add(std::move(thread), std::move(has_ended));
  } catch (...) {
    hands_.fetch_sub(1, std::memory_order_relaxed);
    release();
    throw;
  }
}

void own_thread::stop() noexcept {
  is_stopping_.store(true, std::memory_order_release);
  ring();
}

void own_thread::ring() noexcept {
  is_rung_.store(true, std::memory_order_seq_cst);
  rest_.wake();
}

void own_thread::work() {
  const auto forever = std::chrono::steady_clock::time_point::max();
  while (!is_stopping_.load(std::memory_order_acquire)) {
    rest_.wait(forever, [this] { return is_rung_.load(std::memory_order_seq_cst); });
    is_rung_.store(false, std::memory_order_seq_cst);
    bool has_more = true;
    while (has_more && !is_stopping_.load(std::memory_order_acquire)) {
      has_more = outlet_.drain(1, [this](delivery&& what) { runner_.run(std::exchange(what, {})); });
      runner_.flush();
    }
  }
  end();
}

void own_thread::end() {
  outlet_.close([this](delivery&& what) { runner_.pass_over(what); });
  runner_.flush();
  runner_.end();
}

/// One message of what waits; none: an empty delivery, and the bell rings for the next.
delivery own_thread::take_one() {
  const std::scoped_lock lock{mutex_};
  bool has_more = false;
  while (left_.count == 0) {
    has_more = outlet_.drain(1, [this](delivery&& what) { left_ = std::move(what); });
    if (left_.count == 0 && !has_more) return {};
  }
  delivery one{left_.batch, left_.first, 1, left_.is_all};
  ++left_.first;
  if (--left_.count == 0) left_ = {};
  if (has_more || left_.count != 0) ring(); // for another hand, or for us when we are back
  return one;
}

void own_thread::work_along(handler_runner mine) {
  const auto forever = std::chrono::steady_clock::time_point::max();
  while (!is_stopping_.load(std::memory_order_acquire)) {
    rest_.wait(forever, [this] { return is_rung_.load(std::memory_order_seq_cst); });
    is_rung_.store(false, std::memory_order_seq_cst);
    while (!is_stopping_.load(std::memory_order_acquire)) {
      const delivery one = take_one();
      if (one.count == 0) break;
      mine.run(one);
      mine.flush();
    }
  }
  ring(); // the others are to see it, too
  mine.end();
  if (hands_.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
  if (left_.count != 0) runner_.pass_over(std::exchange(left_, {}));
  end();
}

} // namespace troupe::actors
