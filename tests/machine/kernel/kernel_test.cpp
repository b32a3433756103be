// kernel_test: processes run at their times and in a fixed order, tasks return values and exceptions, nothing leaks.
//
// Method: processes that record when they ran; random events beside a sorted set of them.
#include "machine/kernel/kernel.hpp"

#include <gtest/gtest.h>

#include <deque>
#include <functional>
#include <random>
#include <set>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace {

using tess::machine::clock_domain;
using tess::machine::event;
using tess::machine::kernel;
using tess::machine::process;
using tess::machine::process_pool;
using tess::machine::task;

struct note {
  std::uint64_t time;
  int who;
  bool operator==(note const&) const = default;
};

process repeats(kernel& k, std::uint64_t every, int times, int who, std::vector<note>& notes) {
  for (int i = 0; i < times; ++i) {
    notes.push_back({k.now(), who});
    co_await k.delay(every);
  }
}

TEST(a_kernel, runs_processes_at_their_times_and_equal_times_in_the_order_they_were_asked_for) {
  kernel k(1000);
  std::vector<note> notes;
  k.start(repeats(k, 2000, 3, 0, notes));
  k.start(repeats(k, 1000, 4, 1, notes));
  k.run();
  // At 2000 process 0 comes first: it asked at 0, process 1 only at 1000.
  EXPECT_EQ(notes, (std::vector<note>{{0, 0}, {0, 1}, {1000, 1}, {2000, 0}, {2000, 1}, {3000, 1}, {4000, 0}}));
  EXPECT_TRUE(k.idle());
}

TEST(a_kernel, stops_at_the_time_it_is_told_and_goes_on) {
  kernel k(1000);
  std::vector<note> notes;
  k.start(repeats(k, 1000, 5, 0, notes));
  k.run_until(2500);
  EXPECT_EQ(k.now(), 2500U);
  EXPECT_EQ(notes.size(), 3U);
  k.run_until(3000);
  EXPECT_EQ(notes.size(), 4U);
  k.run();
  EXPECT_EQ(notes.size(), 5U);
}

TEST(a_kernel, runs_a_device_without_a_process) {
  struct ticker : event {
    explicit ticker(kernel& owner) : event(tick), k(owner) {}
    static void tick(event& self) {
      auto& device = static_cast<ticker&>(self);
      if (++device.ticks < 5) device.k.after(10, device);
    }
    kernel& k;
    int ticks = 0;
  };
  kernel k(1);
  ticker device(k);
  k.at(100, device);
  k.run();
  EXPECT_EQ(device.ticks, 5);
  EXPECT_EQ(k.now(), 140U);
}

task<int> adds_later(kernel& k, int a, int b) {
  co_await k.delay(500);
  co_return a + b;
}
task<> fails_later(kernel& k) {
  co_await k.delay(10);
  throw std::runtime_error("no such bank");
}
process awaits(kernel& k, int& sum, std::string& failure) {
  sum = co_await adds_later(k, 1, 2) + co_await adds_later(k, 3, 4);
  try {
    co_await fails_later(k);
  } catch (std::runtime_error const& caught) {
    failure = caught.what();
  }
}

TEST(a_task, takes_time_and_returns_a_value_or_an_exception) {
  kernel k(100);
  int sum = 0;
  std::string failure;
  k.start(awaits(k, sum, failure));
  k.run();
  EXPECT_EQ(sum, 10);
  EXPECT_EQ(failure, "no such bank");
  EXPECT_EQ(k.now(), 1010U);
}

process throws_at(kernel& k, std::uint64_t time) {
  co_await k.delay(time);
  throw std::logic_error("thrown by a process");
}

TEST(a_kernel, hands_on_what_a_process_throws_and_keeps_the_others) {
  kernel k(100);
  std::vector<note> notes;
  k.start(throws_at(k, 150));
  k.start(repeats(k, 100, 4, 0, notes));
  EXPECT_THROW(k.run(), std::logic_error);
  EXPECT_EQ(k.now(), 150U);
  k.run();
  EXPECT_EQ(notes.size(), 4U);
}

struct counted {
  explicit counted(int& count_) : count(count_) { ++count; }
  counted(counted const&) = delete;
  counted& operator=(counted const&) = delete;
  ~counted() { --count; }
  int& count;
};
process waits_for_ever(kernel& k, int& alive) {
  counted const here(alive);
  co_await k.delay(1'000'000);
}

TEST(a_kernel, ends_processes_that_still_wait) {
  int alive = 0;
  {
    kernel k(100);
    k.start(waits_for_ever(k, alive));
    k.start(waits_for_ever(k, alive));
    k.run_until(50);
    EXPECT_EQ(alive, 2);
    k.start(waits_for_ever(k, alive));  // this one has not even begun
  }
  EXPECT_EQ(alive, 0);
}

TEST(a_process, has_its_frame_from_the_pool) {
  kernel k(100);
  std::vector<note> notes;
  k.start(repeats(k, 1, 1, 0, notes));
  k.run();
  std::size_t const spare = process_pool::of_thread().spare();
  EXPECT_GE(spare, 1U);
  for (int i = 0; i < 100; ++i) {
    k.start(repeats(k, 1, 1, 0, notes));
    k.run();
  }
  EXPECT_EQ(process_pool::of_thread().spare(), spare);
}

/// A device that closes times and writes down which.
struct closing : event {
  closing(kernel& k, std::vector<note>& notes, int name = 9)
      : event([](event& self) {
          auto& of = static_cast<closing&>(self);
          of.notes_.push_back({of.kernel_.now(), of.name_});
        }),
        kernel_(k),
        notes_(notes),
        name_(name) {}
  kernel& kernel_;
  std::vector<note>& notes_;
  int name_;
};

TEST(a_device_that_closes_a_time, comes_behind_everything_else_of_it_and_may_ask_for_an_earlier_one) {
  kernel k(1000);
  std::vector<note> notes;
  closing device(k, notes);
  k.close(7000, device);
  EXPECT_EQ(k.next_due(), 7000U);
  k.close(2000, device);
  EXPECT_EQ(k.next_due(), 2000U);
  k.start(repeats(k, 2000, 2, 0, notes));  // asks for 2000 after the device did
  k.run_until(1999);
  EXPECT_EQ(notes, (std::vector<note>{{0, 0}}));
  EXPECT_FALSE(k.idle());
  k.start(repeats(k, 1, 2, 1, notes));  // at 1999 and 2000
  k.run();
  EXPECT_EQ(notes, (std::vector<note>{{0, 0}, {1999, 1}, {2000, 0}, {2000, 1}, {2000, 9}}));
  EXPECT_TRUE(k.idle());
  k.close(9000, device);
  EXPECT_FALSE(k.run_on(9000));
  EXPECT_EQ(notes.back(), (note{9000, 9}));
}

TEST(devices_that_close_a_time, come_in_the_order_of_their_times_and_of_their_asking) {
  kernel k(1000);
  std::vector<note> notes;
  closing first(k, notes, 1);
  closing second(k, notes, 2);
  k.close(5000, second);
  k.close(5000, first);
  k.close(4000, first);
  EXPECT_EQ(k.next_due(), 4000U);
  k.run();
  EXPECT_EQ(notes, (std::vector<note>{{4000, 1}, {5000, 2}}));
  k.close(7000, second);
  k.close(7000, first);
  k.close(6000, second);
  k.close(7000, second);
  k.run();
  EXPECT_EQ(notes.back(), (note{7000, 2}));
  EXPECT_TRUE(k.idle());
}

/// Events as the kernel promises them, kept in the simplest way: by time, rank and number, and last the closing device.
class simple_kernel {
 public:
  template <class Happens>
  void run(Happens const& happens) {
    while (!pending_.empty() || closes_ != never) {
      bool const closing = pending_.empty() || std::get<0>(*pending_.begin()) > closes_;
      if (closing) {
        happens(std::exchange(closes_, never), -1);
      } else {
        auto const [due, rank, who] = *pending_.begin();
        pending_.erase(pending_.begin());
        happens(due, who);
      }
    }
  }
  void at(std::uint64_t due, std::uint32_t rank, int who) { pending_.emplace(due, rank, who); }
  void close(std::uint64_t due) { closes_ = due; }

 private:
  static constexpr std::uint64_t never = ~std::uint64_t{0};
  std::set<std::tuple<std::uint64_t, std::uint32_t, int>> pending_;
  std::uint64_t closes_ = never;
};

/// The same by the kernel.
class real_kernel {
 public:
  template <class Happens>
  void run(Happens const& happens) {
    tell_ = happens;
    kernel_.run();
  }
  void at(std::uint64_t due, std::uint32_t rank, int who) {
    numbered& added = all_.emplace_back(*this, who);
    added.rank = rank;
    kernel_.at(due, added);
  }
  void close(std::uint64_t due) { kernel_.close(due, closing_); }

 private:
  struct numbered : event {
    numbered(real_kernel& of, int number)
        : event([](event& self) {
            auto& one = static_cast<numbered&>(self);
            one.owner.tell_(one.owner.kernel_.now(), one.who);
          }),
          owner(of),
          who(number) {}
    real_kernel& owner;
    int who;
  };
  kernel kernel_{1000};
  std::function<void(std::uint64_t, int)> tell_;
  std::deque<numbered> all_;
  numbered closing_{*this, -1};
};

/// Each event asks for up to two others, many of them at once, by random numbers that depend on the order so far.
template <class Kernel>
std::vector<note> played(std::uint64_t seed) {
  constexpr int count = 20'000;
  std::mt19937_64 draw(seed);
  Kernel k;
  std::vector<note> notes;
  int made = 0;
  bool closes = false;
  for (; made < 10; ++made) k.at(0, 0, made);
  k.run([&](std::uint64_t now, int who) {
    notes.push_back({now, who});
    if (who < 0) closes = false;
    for (auto more = draw() % 3 + (made % 64 < 8 ? 1 : 0); more > 0 && made < count; --more) {
      std::uint64_t const far = draw() % 16 == 0 ? 3000 : 1;
      std::uint64_t const delay = draw() % 2 * (draw() % 4) * 500 * far;
      k.at(now + delay, draw() % 4 == 0 ? static_cast<std::uint32_t>(1 + draw() % 3) : 0, made++);
    }
    if (draw() % 8 != 0 || closes) return;
    closes = true;
    k.close(now + draw() % 2 * 500);
  });
  return notes;
}

class events_at_once : public testing::TestWithParam<std::uint64_t> {};

TEST_P(events_at_once, come_in_the_order_of_times_ranks_and_asking) {
  std::vector<note> const expected = played<simple_kernel>(GetParam());
  EXPECT_GT(expected.size(), 1000U);
  EXPECT_EQ(played<real_kernel>(GetParam()), expected);
}

INSTANTIATE_TEST_SUITE_P(seeds, events_at_once, testing::Range<std::uint64_t>(1, 9));

TEST(events_long_after_all_others, come_in_the_order_of_asking_where_a_closing_device_asks_for_them_at_once) {
  real_kernel k;
  std::vector<note> notes;
  constexpr std::uint64_t far = 1'000'000'000;
  k.close(far);
  k.run([&](std::uint64_t now, int who) {
    notes.push_back({now, who});
    if (who < 0) {
      k.at(now, 0, 1);
      k.at(now, 0, 2);
    }
    if (who == 1) k.at(now, 0, 3);
  });
  EXPECT_EQ(notes, (std::vector<note>{{far, -1}, {far, 1}, {far, 2}, {far, 3}}));
}

TEST(a_clock_domain, counts_cycles_and_finds_edges) {
  clock_domain const clock(20'000);
  EXPECT_EQ(clock.cycles(3), 60'000U);
  EXPECT_EQ(clock.count(59'999), 2U);
  EXPECT_EQ(clock.edge(40'000), 40'000U);
  EXPECT_EQ(clock.edge(40'001), 60'000U);
}

/// Every 2000 ps, or every 5000 ps, at the site where it was started.
void start_at(kernel& k, std::uint32_t site, std::uint64_t every, std::vector<note>& notes) {
  std::uint32_t const before = k.go_to(site);
  k.start(repeats(k, every, 4, static_cast<int>(site), notes));
  k.go_to(before);
}

TEST(a_site, has_its_next_event_or_what_comes_from_another_one) {
  kernel k(1000);
  std::vector<note> notes;
  start_at(k, 1, 2000, notes);
  start_at(k, 2, 5000, notes);
  k.run_until(4500);
  // Next are 5000 at site 2, and 6000 at site 1; nothing happens at site 3.
  EXPECT_EQ(k.next_due_at(1, 300), 5300U);
  EXPECT_EQ(k.next_due_at(1, 3000), 6000U);
  EXPECT_EQ(k.next_due_at(2, 3000), 5000U);
  EXPECT_EQ(k.next_due_at(3, 3000), 8000U);
  k.packet_begins(3);
  EXPECT_EQ(k.next_due_at(3, 3000), 5000U) << "a packet may arrive with any event";
  k.packet_ends(3);
  EXPECT_EQ(k.next_due_at(3, 3000), 8000U);
}

TEST(an_event, happens_at_the_site_of_the_one_that_scheduled_it_and_those_of_no_site_concern_all) {
  kernel k(1000);
  std::vector<note> notes;
  struct watcher : event {
    explicit watcher(kernel& of)
        : event([](event& self) { static_cast<watcher&>(self).seen = static_cast<watcher&>(self).owner.site(); }),
          owner(of) {}
    kernel& owner;
    std::uint32_t seen = 99;
  };
  watcher first(k);
  watcher second(k);
  k.go_to(7);
  k.at(1000, first);
  k.go_to(kernel::everywhere);
  k.at(3000, second);
  EXPECT_EQ(k.next_due_at(4, 5000), 3000U);
  k.run();
  EXPECT_EQ(first.seen, 7U);
  EXPECT_EQ(second.seen, kernel::everywhere);
  EXPECT_EQ(k.site(), kernel::everywhere);
  k.go_to(7);
  k.at(4000, first);
  k.run_until(5000);
  EXPECT_EQ(k.site(), kernel::everywhere) << "what is scheduled between runs is of no site";
}

TEST(a_clock_domain, divides_exactly_at_any_time) {
  for (std::uint64_t const period : {1U, 2U, 3U, 1250U, 10'000U, 20'000U, 65'536U, 999'983U}) {
    clock_domain const clock(period);
    for (unsigned bits = 1; bits < 64; ++bits) {
      // Around an edge, where a quotient that is off by one would show.
      std::uint64_t const edge = (std::uint64_t{1} << bits) / period * period;
      for (std::uint64_t const time : {edge - 1, edge, edge + 1, edge + period - 1})
        EXPECT_EQ(clock.count(time), time / period) << time << " ps in cycles of " << period;
    }
  }
}

}  // namespace
