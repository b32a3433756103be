// timer: a worker's queue of timers yields the earliest after any removals; a completion can be disarmed in time.
// Method: random insertions and removals compared with a sorted set; the two steps of a race, by hand.
#include "tess/detail/tasks/timer.hpp"

#include <random>
#include <set>
#include <vector>

#include "runtime/job/job.hpp"
#include "runtime/run_job.hpp"

namespace tess::test {
namespace {

TEST(timer_queue, gives_the_earliest_whatever_is_removed) {
  std::mt19937_64 random(5);
  detail::timer_queue queue;
  std::vector<detail::timer> timers(300);
  std::multiset<detail::time_point> model;
  std::vector<bool> in(timers.size());
  for (int step = 0; step < 20000; ++step) {
    auto const i = static_cast<std::size_t>(random() % timers.size());
    if (in[i]) {
      queue.remove(timers[i]);
      model.erase(model.find(timers[i].due));
    } else {
      timers[i].due = detail::time_point(std::chrono::nanoseconds(random() % 500));
      queue.insert(timers[i]);
      model.insert(timers[i].due);
    }
    in[i] = !in[i];
    ASSERT_EQ(queue.empty(), model.empty());
    if (!model.empty()) {
      ASSERT_EQ(queue.earliest().due, *model.begin());
    }
  }
}

TEST(completion, is_disarmed_only_before_it_notified) {
  detail::completion c;
  c.expect(2);
  EXPECT_FALSE(c.arm(0, 0));
  c.acknowledge(1);
  EXPECT_TRUE(c.disarm());
  // No task is there to be notified, so a notification would crash.
  c.acknowledge(1);
  EXPECT_TRUE(c.idle());
  run_job({"smp", 1, 1}, []() -> task<void> {
    counter done;
    done.expect(1);
    detail::stop_scope scope;
    co_await finish([&] {
      spawn([&]() -> task<void> {
        detail::promise_base& me = *detail::self->current;
        scope.open(me);
        co_await done;
        scope.close(me);
      });
      spawn([&]() -> task<void> {
        while (scope.wait == nullptr) co_await yield();
        // The wake-up is under way before the request: it wins.
        done.acknowledge();
        detail::request_stop(scope, detail::stop_cause::time);
        co_return;
      });
    });
    EXPECT_TRUE(done.idle());
  });
}

}  // namespace
}  // namespace tess::test
