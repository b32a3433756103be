// completion: the last party notifies, once, in every order of arming and acknowledging.
// Method: all orders of a few steps by hand, inside a job, where a notification is a task that goes on.
#include "tess/detail/tasks/completion.hpp"

#include <algorithm>

#include "runtime/run_job.hpp"

namespace tess::test {
namespace {

using detail::completion;

class completions : public on_layouts {};

TEST(completion, arming_an_idle_cell_says_so_and_leaves_it_idle) {
  completion c;
  EXPECT_TRUE(c.idle());
  EXPECT_TRUE(c.arm(0, 0));
  EXPECT_TRUE(c.idle());
}

TEST(completion, acknowledgements_may_overtake_their_announcement) {
  completion c;
  c.acknowledge(2);
  EXPECT_TRUE(c.idle());
  EXPECT_TRUE(c.arm(0, 0));
  // The surplus stays and is set against later announcements.
  c.expect(2);
  EXPECT_TRUE(c.idle());
  c.expect(1);
  EXPECT_FALSE(c.idle());
  EXPECT_EQ(c.outstanding(), 1);
}

TEST(completion, an_error_is_kept_until_it_is_taken) {
  completion c;
  c.expect(2);
  c.acknowledge(1, 5);
  c.acknowledge(1);
  EXPECT_TRUE(c.idle());
  EXPECT_EQ(c.take_error(), 5U);
  EXPECT_EQ(c.take_error(), 0U);
}

/// The steps of one waiter and of two acknowledgements in every order; 'w' co_awaits, 'a' and 'b' acknowledge.
TEST_P(completions, resume_the_waiter_once_in_every_order) {
  run_here([]() -> task<void> {
    std::string order = "abw";
    do {
      counter done;
      int resumed = 0;
      done.expect(2);
      co_await finish([&]() -> task<void> {
        for (char const step : order) {
          if (step == 'w')
            spawn([](counter& c, int& n) -> task<void> {
              co_await c;
              ++n;
            }(done, resumed));
          else
            done.acknowledge();
          // Long enough that the waiter is parked; with several workers it must be this one that waits.
          for (int i = 0; i < 3; ++i) co_await yield();
        }
      });
      EXPECT_EQ(resumed, 1) << order;
      EXPECT_TRUE(done.idle()) << order;
    } while (std::ranges::next_permutation(order).found);
  });
}

TEST_P(completions, wake_once_although_a_surplus_comes_before_the_waiter_runs) {
  run_here([]() -> task<void> {
    counter done;
    int started = 0, resumed = 0;
    co_await finish([&]() -> task<void> {
      done.expect(1);
      spawn([](counter& c, int& begun, int& ended) -> task<void> {
        ++begun;
        co_await c;
        ++ended;
      }(done, started, resumed));
      // The only worker of the place comes back when the waiter has parked.
      while (started == 0) co_await yield();
      done.acknowledge();
      done.acknowledge();
      while (resumed == 0) co_await yield();
      for (int i = 0; i < 200; ++i) co_await yield();
    });
    EXPECT_EQ(resumed, 1);
    EXPECT_EQ(detail::access::cell(done).outstanding(), -1) << "the surplus is kept";
    done.expect(1);
  });
}

TEST_P(completions, are_reused_many_times) {
  run_here([]() -> task<void> {
    counter done;
    for (int i = 0; i < 1000; ++i) {
      done.expect(1);
      spawn([](counter& c) -> task<void> {
        c.acknowledge();
        co_return;
      }(done));
      co_await done;
    }
  });
}

TEST_P(completions, with_a_failed_operation_throw_place_failed) {
  run_here([]() -> task<void> {
    counter done;
    done.expect(2);
    detail::access::cell(done).acknowledge(1, 1);
    done.acknowledge();
    bool thrown = false;
    try {
      co_await done;
    } catch (place_failed const& e) {
      thrown = e.place() == 0;
    }
    EXPECT_TRUE(thrown);
    co_await done;
  });
}

TEST_P(completions, destroyed_with_outstanding_transfers_wait_for_them) {
  run_here([]() -> task<void> {
    auto const target = static_cast<place_id>(places() - 1);
    auto const there = co_await at(target, [] { return allocate<std::uint64_t>(512); });
    for (int i = 0; i < 50; ++i) {
      std::vector<std::uint64_t> source(512, 7), back(512, 0);
      {
        counter done;
        for (int k = 0; k < 4; ++k) put(std::span<std::uint64_t const>(source), there, done);
      }
      std::ranges::fill(source, 8);
      {
        counter done;
        get(there, std::span(back), done);
      }
      EXPECT_EQ(back, std::vector<std::uint64_t>(512, 7));
      try {
        counter done;
        put(std::span<std::uint64_t const>(source), there, done);
        throw 5;
      } catch (int) {
      }
    }
    co_await at(target, [](auto p) { deallocate(p); }, there);
  });
}

TEST(completion, destroyed_while_its_notifier_shares_the_thread_is_notified) {
  for (layout const l : {layout{"smp", 2, 1, 1}, layout{"smp", 1, 2, 1}, layout{"smp", 3, 2, 1},
                         layout{"hostile", 2, 1, 1}, layout{"hostile", 2, 2, 1}})
    run_job(l, []() -> task<void> {
      auto const late = [](global_ptr<counter> c) -> task<void> {
        for (int k = 0; k < 3; ++k) co_await yield();
        notify(c);
      };
      for (int i = 0; i < 2; ++i)
        co_await finish([late]() -> task<void> {
          counter done;
          // One notifier is at another place, one for another worker to steal.
          done.expect((places() > 1) + (detail::job.workers > 1));
          if (places() > 1) at_async(1, late, done.address());
          co_await yield();
          // From here on no turn is given away: what this worker has admitted to its own ring cannot be stolen.
          if (detail::job.workers > 1) spawn(late, done.address());
        });
    });
}

INSTANTIATE_TEST_SUITE_P(layouts, completions, testing::Values(layout{"smp", 2, 1, 2}, layout{"hostile", 3, 1, 2}),
                         name_of);

}  // namespace
}  // namespace tess::test
