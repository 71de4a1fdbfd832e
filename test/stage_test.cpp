#include <troupe/runtime/home.hpp>
#include <troupe/runtime/house.hpp>
#include <troupe/runtime/inlet.hpp>
#include <troupe/runtime/outlet.hpp>
#include <troupe/runtime/stage.hpp>

#include <gtest/gtest.h>

#include <caf/all.hpp>

#include <boost/asio/post.hpp>

#include <filesystem>
#include <future>
#include <iterator>
#include <latch>
#include <memory>
#include <thread>
#include <vector>

namespace {

using namespace troupe::runtime;

std::ptrdiff_t count_entries(const char* directory) {
  return std::distance(std::filesystem::directory_iterator{directory}, {});
}
std::ptrdiff_t open_descriptors() { return count_entries("/proc/self/fd"); }
std::ptrdiff_t threads_alive() { return count_entries("/proc/self/task"); }

// Passes a number round a ring of actors until it is used up.
class runner final : public resident {
public:
  runner(caf::actor_config& config, place where, std::promise<void>& finish_line)
      : resident{config, where}, batons{*this}, done_{finish_line} {}

  mailbox<int> batons;
  void hand_to(runner& next) { next_ = inlet<int>{next.batons}; }

protected:
  bool on_bell() override {
    return outlet_.drain([this](int&& left) {
      if (left == 0)
        done_.set_value();
      else
        EXPECT_EQ(next_.push(left - 1), offer::taken);
    });
  }
  void on_stop() override {
    next_.drop();
    outlet_.close();
  }

private:
  outlet<int> outlet_{batons};
  inlet<int> next_;
  std::promise<void>& done_;
};

void run_ring(troupe::stage& stage, int rounds) {
  std::promise<void> done;
  auto& house = stage.inside();
  std::vector<resident_ref<runner>> ring;
  for (int index = 0; index != 4; ++index) ring.push_back(house.spawn<runner>(house.next_home(), done));
  for (std::size_t index = 0; index != ring.size(); ++index)
    ring[index]->hand_to(*ring[(index + 1) % ring.size()]); // not rung yet: nobody runs
  inlet<int> start{ring.front()->batons};
  EXPECT_EQ(start.push(int{rounds}), offer::taken);
  done.get_future().get();
}

class stages : public testing::TestWithParam<troupe::scheduler_kind> {};

TEST_P(stages, start_and_stop_two_hundred_times_and_leave_nothing) {
  const auto cycle = [] {
    troupe::stage stage{{.workers = 2, .scheduler = GetParam()}};
    run_ring(stage, 20);
    EXPECT_EQ(stage.actors_alive(), 4U);
  };
  cycle(); // what the libraries allocate once
  const auto descriptors = open_descriptors();
  const auto threads = threads_alive();
  const int cycles = GetParam() == troupe::scheduler_kind::own ? 200 : 20;
  for (int count = 0; count != cycles; ++count) cycle();
  EXPECT_EQ(open_descriptors(), descriptors);
  // A thread that was joined may still be listed for a moment, before and after: until it is not, or
  // the test's time is over.
  while (threads_alive() > threads) std::this_thread::yield();
}

TEST_P(stages, destroy_every_actor_when_they_stop) {
  std::weak_ptr<int> trace;
  // Holds itself up by a message to itself that is never handled, and an inlet in a circle.
  class clinging final : public resident {
  public:
    clinging(caf::actor_config& config, place where, std::shared_ptr<int> life)
        : resident{config, where}, box{*this}, life_{std::move(life)} {}
    mailbox<int> box;
    inlet<int> other;

  protected:
    bool on_bell() override { return true; } // always wants more
    void on_stop() override { other.drop(); }

  private:
    std::shared_ptr<int> life_;
  };
  {
    troupe::stage stage{{.scheduler = GetParam()}};
    auto& house = stage.inside();
    auto life = std::make_shared<int>(0);
    trace = life;
    auto left = house.spawn<clinging>(house.next_home(), life);
    auto right = house.spawn<clinging>(house.next_home(), std::move(life));
    left->other = inlet<int>{right->box};
    right->other = inlet<int>{left->box};
    EXPECT_EQ(stage.actors_alive(), 2U);
  }
  EXPECT_TRUE(trace.expired());
}

TEST_P(stages, run_posted_tasks_on_the_thread_of_the_home) {
  troupe::stage stage{{.workers = 2, .scheduler = GetParam()}};
  auto& house = stage.inside();
  for (std::size_t index = 0; index != house.size(); ++index) {
    std::promise<bool> here;
    house[index].post([&] { here.set_value(house[index].is_here() && !may_block()); });
    EXPECT_TRUE(here.get_future().get());
    std::promise<bool> from_io;
    house[index].post([&] { // io() is the home's alone
      boost::asio::post(house[index].io(), [&] { from_io.set_value(house[index].is_here()); });
    });
    EXPECT_TRUE(from_io.get_future().get());
    EXPECT_FALSE(house[index].is_here());
  }
  EXPECT_TRUE(may_block());
}

TEST_P(stages, survive_what_tasks_throw) {
  std::promise<std::string> line;
  troupe::stage stage{
      {.scheduler = GetParam(), .log = [&line](troupe::log_level, std::string_view, std::string_view what) {
         line.set_value(std::string{what});
       }}};
  auto& home = stage.inside().next_home();
  home.post([] { throw std::runtime_error{"as planned"}; });
  EXPECT_EQ(line.get_future().get(), "as planned");
  std::promise<void> alive;
  home.post([&alive] { alive.set_value(); });
  alive.get_future().get();
}

TEST_P(stages, flush_after_the_jobs_that_made_something_dirty) {
  struct page final : flushable {
    void flush() override {
      ++flushes;
      if (lines == 3) done.set_value(flushes);
    }
    int lines = 0;
    int flushes = 0;
    std::promise<int> done;
  } paper;
  troupe::stage stage{{.scheduler = GetParam()}};
  auto& home = stage.inside().next_home();
  home.post([&] {
    for (int line = 0; line != 3; ++line)
      home.post([&] {
        ++paper.lines;
        home.flush_later(paper);
        home.flush_later(paper);
      });
  });
  EXPECT_EQ(paper.done.get_future().get(), 1);
}

INSTANTIATE_TEST_SUITE_P(schedulers, stages,
                         testing::Values(troupe::scheduler_kind::own, troupe::scheduler_kind::sharing,
                                         troupe::scheduler_kind::stealing),
                         [](const auto& kind) {
                           return kind.param == troupe::scheduler_kind::own       ? "own"
                                  : kind.param == troupe::scheduler_kind::sharing ? "sharing"
                                                                                  : "stealing";
                         });

// -- borrowed systems ------------------------------------------------------------------------------

caf::behavior blocked_user(caf::event_based_actor*, std::shared_future<void> released, std::latch* blocked) {
  return {[released, blocked](int) {
    blocked->count_down();
    released.wait();
  }};
}

// With an argument: CAF's header binds a reference to nothing when a function without any is spawned.
caf::behavior adding_user(caf::event_based_actor*, int summand) {
  return {[summand](int number) { return number + summand; }};
}

TEST(borrowed_stage, goes_on_while_user_actors_block) {
  caf::actor_system_config config;
  configure(config, {.workers = 1}, 2);
  caf::actor_system system{config};
  std::promise<void> release;
  const std::shared_future<void> released = release.get_future();
  {
    troupe::stage stage{system};
    EXPECT_EQ(stage.workers(), 1U);
    EXPECT_TRUE(stage.inside().is_pinning());
    std::latch blocked{2};
    auto first = system.spawn(blocked_user, released, &blocked);
    auto second = system.spawn(blocked_user, released, &blocked);
    caf::anon_send(first, 1);
    caf::anon_send(second, 1);
    blocked.wait(); // both extra workers are held
    run_ring(stage, 1000);
    release.set_value();
  }
}

TEST(borrowed_stage, lets_idle_workers_take_jobs_of_one_that_blocks) {
  caf::actor_system_config config;
  configure(config, {.workers = 1}, 2);
  caf::actor_system system{config};
  std::promise<void> release;
  const std::shared_future<void> released = release.get_future();
  std::latch blocked{1};
  auto holder = system.spawn(blocked_user, released, &blocked);
  caf::anon_send(holder, 1);
  blocked.wait();
  caf::scoped_actor self{system};
  for (int count = 0; count != 20; ++count) {
    auto echo = system.spawn(adding_user, 1);
    self->request(echo, caf::infinite, count)
        .receive([count](int answer) { EXPECT_EQ(answer, count + 1); },
                 [](const caf::error&) { ADD_FAILURE(); });
  }
  release.set_value();
}

TEST(borrowed_stage, shares_homes_with_other_stages_of_the_system_and_leaves_it_running) {
  caf::actor_system_config config;
  configure(config, {.workers = 2});
  caf::actor_system system{config};
  {
    troupe::stage first{system};
    troupe::stage second{system};
    EXPECT_EQ(&first.inside().homes(), &second.inside().homes());
    run_ring(first, 100);
    run_ring(second, 100);
  }
  caf::scoped_actor self{system};
  auto echo = system.spawn(adding_user, 0);
  self->request(echo, caf::infinite, 7)
      .receive([](int answer) { EXPECT_EQ(answer, 7); }, [](const caf::error&) { ADD_FAILURE(); });
}

TEST(borrowed_stage, works_on_a_system_that_was_not_prepared) {
  caf::actor_system_config config;
  caf::actor_system system{config};
  troupe::stage stage{system, {.workers = 2}};
  EXPECT_FALSE(stage.inside().is_pinning());
  EXPECT_EQ(stage.workers(), 2U);
  run_ring(stage, 1000);
}

TEST(own_stage, runs_user_actors_beside_its_own) {
  for (const std::size_t workers : {1U, 3U}) {
    troupe::stage stage{{.workers = workers}};
    caf::scoped_actor self{stage.system()};
    std::vector<caf::actor> users;
    for (int count = 0; count != 50; ++count) users.push_back(stage.system().spawn(adding_user, 1));
    int sum = 0;
    for (auto& user : users)
      self->request(user, caf::infinite, 1)
          .receive([&sum](int answer) { sum += answer; }, [](const caf::error&) { ADD_FAILURE(); });
    EXPECT_EQ(sum, 100);
    run_ring(stage, 1000);
  }
}

} // namespace
