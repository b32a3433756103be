// future_test: futures give their results to all who ask, and their frames live exactly as long as somebody may ask.
// Method: the word of a future is stepped by hand through every order of the end, the waiters and the last future;
// results count themselves; workers make, copy, pass on, await and drop futures at random, under ThreadSanitizer too.
#include "tess/future.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <memory>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "runtime/job/job.hpp"
#include "runtime/run_job.hpp"

namespace tess::test {
namespace {

class futures : public on_layouts {};

/// Long enough that what was spawned has parked, with several workers too.
task<void> settle() {
  for (int i = 0; i < 300; ++i) co_await yield();
}

/// A result that counts how many of it there are.
class counted {
 public:
  explicit counted(int v) noexcept : value_(v) { ++alive; }
  counted(counted const& other) noexcept : value_(other.value_) { ++alive; }
  counted& operator=(counted const&) = default;
  ~counted() { --alive; }
  [[nodiscard]] int value() const noexcept { return value_; }

  static inline std::atomic<int> alive{0};

 private:
  int value_;
};

// ── the word, step by step ──────────────────────────────────────────────────────────────────────────────────────────

/// `steps`, letter by letter, for a task with one future and two that may wait: w and v begin to wait, e is the end,
/// d drops the future, r is read by one that waited, c copies the future, f is an exception of the task. A capital
/// letter: this step says that the frame is to be destroyed.
void step(std::string const& steps, bool single) {
  SCOPED_TRACE(steps + (single ? ", one worker" : ""));
  detail::task_continuation word;
  detail::promise_base first, second;
  detail::future_waiter w{nullptr, &first, detail::self->notify_id(), detail::future_waiter::is_reader};
  detail::future_waiter v{nullptr, &second, detail::self->notify_id(), detail::future_waiter::is_reader};
  word.share();
  bool has_ended = false, has_failed = false;
  for (char const s : steps) {
    bool const last = s < 'a';
    switch (last ? s - 'A' + 'a' : s) {
      case 'w':
        EXPECT_EQ(word.wait(w, single), !has_ended);
        break;
      case 'v':
        EXPECT_EQ(word.wait(v, single), !has_ended);
        break;
      case 'c':
        word.add_future(single);
        break;
      case 'd':
        EXPECT_EQ(word.is_left_alone(), last && !has_failed);
        EXPECT_EQ(word.drop_future(), last);
        break;
      case 'f':
        word.fail();
        has_failed = true;
        break;
      case 'r':
        EXPECT_EQ(word.end_reading(single), last);
        break;
      case 'e': {
        auto const ended = single ? word.end_task_alone(false) : word.end_task();
        has_ended = true;
        EXPECT_EQ(ended.is_dropped, last);
        if (ended.last == nullptr || ended.last->before == nullptr) break;
        // These are no tasks: they must not run.
        auto& told = detail::self->runnable;
        EXPECT_TRUE(told.empty());
        word.tell_all(ended.last);
        EXPECT_EQ(told.size(), 2U);
        bool const w_first = steps.find('w') < steps.find('v');
        EXPECT_EQ(told.pop(), w_first ? &first : &second);
        EXPECT_EQ(told.pop(), w_first ? &second : &first);
        break;
      }
      default:
        FAIL();
    }
    EXPECT_TRUE(last || word.has_ended() == has_ended);
  }
}

TEST(words_of_futures, let_exactly_one_destroy_the_frame_in_every_order) {
  for (unsigned const workers : {1U, 2U})
    run_job({"smp", 1, workers, 1}, [workers]() -> task<void> {
      for (char const* const steps :
           {"eD",     "dE",     "ewD",    "cedD",   "cdeD",   "cddE",   "werD",   "wedR",   "wdeR",
            "wcedrD", "wcerdD", "wcddeR", "wverrD", "wverdR", "wvedrR", "wvderR", "wdverR", "feD",
            "dfE",    "fdE",    "cfdeD",  "wferD",  "wfedR",  "wdfeR",  "wvfedrR"})
        step(steps, workers == 1);
      // The job was aborted: the waiter's frame is destroyed before the end of the task.
      step("wr", workers == 1);
      co_return;
    });
}

TEST(words_of_futures, keep_the_result_for_those_that_do_not_run_next) {
  run_job({"smp", 1, 1, 1}, []() -> task<void> {
    detail::promise_base task;
    constexpr auto reader = detail::future_waiter::is_reader;
    struct {
      bool next, two, dropped, keeps;
    } constexpr cases[] = {
        {true, false, false, false}, {false, false, false, true}, {true, true, false, true}, {true, false, true, true}};
    for (auto const& c : cases) {
      detail::task_continuation word;
      detail::future_waiter w{nullptr, &task, 0, reader}, v = w;
      word.share();
      EXPECT_TRUE(word.wait(w, true));
      if (c.two) EXPECT_TRUE(word.wait(v, true));
      if (c.dropped) EXPECT_FALSE(word.drop_future());
      EXPECT_FALSE(word.end_task_alone(c.next).is_dropped);
      EXPECT_EQ((w.shares & reader) != 0, c.keeps);
      if (c.keeps) EXPECT_EQ(word.end_reading(true), c.dropped && !c.two);
    }
    co_return;
  });
}

TEST(words_of_futures, count_as_many_as_there_is_room_for) {
  for (unsigned const workers : {1U, 2U})
    run_job({"smp", 1, workers, 1}, [workers]() -> task<void> {
      constexpr int most = 131'071;
      for (int const copies : {most - 1, most + 5}) {
        detail::task_continuation word;
        word.share();
        for (int i = 1; i < copies; ++i) word.add_future(workers == 1);
        EXPECT_FALSE((workers == 1 ? word.end_task_alone(true) : word.end_task()).is_dropped);
        for (int i = 1; i < copies; ++i) EXPECT_FALSE(word.drop_future());
        // Too many were not counted: the result stays.
        EXPECT_EQ(word.drop_future(), copies < most);
      }
      co_return;
    });
}

// ── what programs see ───────────────────────────────────────────────────────────────────────────────────────────────

TEST_P(futures, give_values_and_exceptions_to_all_who_ask) {
  run_here([]() -> task<void> {
    auto const square = [](int n) -> task<std::string> {
      co_await yield();
      if (n == 3) throw std::out_of_range("three");
      co_return std::to_string(n * n);
    };
    auto const twelve = async(square(12)), three = async(square(3));
    std::atomic<int> good{0};
    co_await finish([&] {
      for (int i = 0; i < 50; ++i)
        spawn([](future<std::string> a, future<std::string> b, std::atomic<int>& out) -> task<void> {
          std::string const& text = co_await a;
          out += text == "144";
          try {
            static_cast<void>(co_await b);
          } catch (std::out_of_range const& e) {
            out += std::string(e.what()) == "three";
          }
        }(twelve, three, good));
    });
    EXPECT_EQ(good.load(), 100);
    EXPECT_TRUE(twelve.ready());
    EXPECT_EQ(co_await async(square(5)), "25");
    EXPECT_THROW(static_cast<void>(co_await async(square(3))), std::out_of_range);
    bool ran = false;
    co_await async([](bool& r) -> task<void> {
      r = true;
      co_return;
    }(ran));
    EXPECT_TRUE(ran);
    auto const alone = async([]() -> task<std::unique_ptr<int>> { co_return std::make_unique<int>(8); }());
    EXPECT_EQ(*co_await alone, 8);
  });
}

TEST_P(futures, that_nobody_keeps_leave_their_exception_to_the_finish) {
  run_here([]() -> task<void> {
    std::string text;
    try {
      sync_var<bool> go;
      co_await finish([&] {
        static_cast<void>(async([](sync_var<bool>& g) -> task<int> {
          static_cast<void>(co_await g.read_ff());
          throw std::runtime_error("nobody asked");
        }(go)));
        go.write_xf(true);
      });
    } catch (std::runtime_error const& e) {
      text = e.what();
    }
    EXPECT_EQ(text, "nobody asked");
    // Kept, and never asked: the finish hears nothing.
    std::optional<future<int>> kept;
    co_await finish([&] {
      kept = async([]() -> task<int> {
        co_await settle();
        throw std::runtime_error("somebody may ask");
      }());
    });
    EXPECT_THROW(static_cast<void>(co_await *kept), std::runtime_error);
  });
}

TEST_P(futures, build_a_tree_of_results) {
  run_here([]() -> task<void> {
    struct fibonacci {
      static task<std::uint64_t> of(unsigned n) {
        if (n < 2) co_return n;
        auto const a = async(of(n - 1)), b = async(of(n - 2));
        co_return co_await a + co_await b;
      }
    };
    EXPECT_EQ(co_await fibonacci::of(15), 610U);
  });
}

TEST_P(futures, keep_a_result_that_is_awaited_when_they_go) {
  run_here([]() -> task<void> {
    sync_var<bool> go;
    std::optional<future<counted>> f = async([](sync_var<bool>& g) -> task<counted> {
      static_cast<void>(co_await g.read_ff());
      co_return counted(7);
    }(go));
    std::atomic<int> sum{0};
    co_await finish([&]() -> task<void> {
      for (int i = 0; i < 20; ++i)
        spawn([](std::optional<future<counted>> const& shared, std::atomic<int>& s) -> task<void> {
          // A reference to a future that another task destroys.
          s += (co_await *shared).value();
        }(f, sum));
      co_await settle();
      f.reset();
      go.write_xf(true);
    });
    EXPECT_EQ(sum.load(), 140);
    EXPECT_EQ(counted::alive.load(), 0);
  });
}

TEST_P(futures, resume_their_waiters_in_order) {
  run_here([]() -> task<void> {
    constexpr int count = 1000;
    sync_var<bool> go;
    auto const f = async([](sync_var<bool>& g) -> task<int> { co_return co_await g.read_ff() ? 1 : 0; }(go));
    std::atomic<int> begun{0};
    std::vector<std::vector<int>> order(detail::job.workers);
    co_await finish([&]() -> task<void> {
      for (int i = 0; i < count; ++i)
        spawn([](future<int> const& one, std::atomic<int>& b, std::vector<std::vector<int>>& o) -> task<void> {
          int const turn = b++;
          static_cast<void>(co_await one);
          o[detail::self->index].push_back(turn);
        }(f, begun, order));
      while (begun < count) co_await yield();
      co_await settle();
      go.write_xf(true);
    });
    std::size_t all = 0;
    for (auto const& of_worker : order) {
      EXPECT_TRUE(std::ranges::is_sorted(of_worker));
      all += of_worker.size();
    }
    EXPECT_EQ(all, count);
  });
}

/// Says at its end where it was; a parameter with a destructor, beside a local variable of any size.
template <std::size_t Bytes>
task<int> with_parameter(std::shared_ptr<int> p) {
  std::array<std::byte, Bytes> local{};
  co_await yield();
  co_return *p + static_cast<int>(local.back());
}

TEST_P(futures, destroy_the_parameters_when_the_task_ends) {
  run_here([]() -> task<void> {
    auto const p = std::make_shared<int>(5);
    auto const small = async(with_parameter<16>(p));
    auto const large = async(with_parameter<5000>(p));
    EXPECT_EQ(co_await small + co_await large, 10);
    EXPECT_EQ(p.use_count(), 1);
    // As a chain of futures, each of which is a parameter of the next one's task.
    auto last = async([]() -> task<int> { co_return 0; }());
    for (int i = 0; i < 100'000; ++i)
      last = async([](future<int> before) -> task<int> { co_return co_await before + 1; }(std::move(last)));
    EXPECT_EQ(co_await last, 100'000);
  });
}

TEST_P(futures, keep_no_large_frame_of_a_task_that_has_ended) {
  run_here([]() -> task<void> {
    constexpr std::size_t bytes = std::size_t{1} << 20;
    constexpr int count = 100;
    auto const work = [](int n, std::set<std::byte const*>& w) -> task<int> {
      std::array<std::byte, bytes> local;
      w.insert(local.data());
      local[static_cast<std::size_t>(n)] = std::byte{1};
      co_await yield();
      co_return n + static_cast<int>(local[static_cast<std::size_t>(n)]);
    };
    std::set<std::byte const*> where;
    std::vector<future<int>> all;
    for (int i = 0; i < count; ++i) {
      all.push_back(async(work(i, where)));
      EXPECT_EQ(co_await all.back(), i + 1);
    }
    // The next one takes the memory of the last.
    EXPECT_LT(where.size(), count / 4);
  });
}

// ── many workers ────────────────────────────────────────────────────────────────────────────────────────────────────

task<counted> number(int n, bool fails) {
  if (n % 3 == 0) co_await yield();
  if (fails) throw std::out_of_range(std::to_string(n));
  co_return counted(n);
}

/// Awaits the future in one of the possible ways, or drops it.
task<void> use(future<counted> f, int n, bool fails, unsigned how, std::atomic<int>& wrong) {
  if (how % 4 == 0) co_return;
  if (how % 4 == 1) co_await yield();
  try {
    int const got = how % 2 == 0 ? (co_await f).value() : (co_await std::move(f)).value();
    wrong += fails || got != n;
  } catch (std::out_of_range const& e) {
    wrong += !fails || e.what() != std::to_string(n);
  }
}

TEST(futures_of_several_workers, survive_any_use) {
  for (unsigned const workers : {1U, 2U, 4U})
    run_job({"smp", 1, workers, workers}, []() -> task<void> {
      std::minstd_rand random(seed());
      std::atomic<int> wrong{0};
      for (int round = 0; round < 40; ++round) {
        co_await finish([&]() -> task<void> {
          std::vector<future<counted>> kept;
          for (int i = 0; i < 100; ++i) {
            unsigned const how = static_cast<unsigned>(random() >> 4);
            bool const fails = how % 16 == 3;
            auto f = async(number(i, fails));
            // Somebody must ask for what fails: else the exception is the finish's.
            if (fails) kept.emplace_back(f);
            for (unsigned users = how / 16 % 4; users > 0; --users) spawn(use(f, i, fails, how / 64 + users, wrong));
            if (how / 1024 % 4 == 0) spawn(use(std::move(f), i, fails, how / 64, wrong));
            if (how / 4096 % 8 == 0) co_await yield();
          }
          for (auto const& f : kept) EXPECT_THROW(static_cast<void>(co_await f), std::out_of_range);
        });
        EXPECT_EQ(counted::alive.load(), 0);
      }
      EXPECT_EQ(wrong.load(), 0);
    });
}

/// Two tasks share a future by reference; each awaits it in the same moment, and the last one destroys it.
TEST(futures_of_several_workers, end_while_others_begin_to_wait) {
  for (unsigned const workers : {2U, 4U})
    run_job({"smp", 1, workers, workers}, []() -> task<void> {
      std::atomic<int> sum{0};
      constexpr int rounds = 3000;
      for (int i = 0; i < rounds; ++i) {
        std::atomic<int> met{0};
        co_await finish([&] {
          auto f = async([](std::atomic<int>& m) -> task<int> {
            ++m;
            for (int spin = 0; spin < 2000 && m < 2; ++spin) detail::spin_pause();
            co_return 1;
          }(met));
          spawn([](future<int> one, std::atomic<int>& m, std::atomic<int>& s) -> task<void> {
            ++m;
            for (int spin = 0; spin < 2000 && m < 2; ++spin) detail::spin_pause();
            s += co_await one;
          }(std::move(f), met, sum));
        });
      }
      EXPECT_EQ(sum.load(), rounds);
    });
}

INSTANTIATE_TEST_SUITE_P(layouts, futures, testing::ValuesIn(few_layouts()), name_of);

}  // namespace
}  // namespace tess::test
