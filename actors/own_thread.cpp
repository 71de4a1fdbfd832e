#include "own_thread.hpp"

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

own_thread& own_thread::start(thread_list& threads, handler_runner runner) {
  auto* const made = new own_thread{std::move(runner)};
  auto has_ended = std::make_shared<std::atomic<bool>>(false);
  try {
    std::thread thread{[made, has_ended] {
      made->work();
      made->release();
      has_ended->store(true, std::memory_order_release);
    }};
    threads.add(std::move(thread), std::move(has_ended));
  } catch (...) {
    made->release();
    throw;
  }
  return *made;
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
  outlet_.close();
  runner_.end();
}

} // namespace troupe::actors
