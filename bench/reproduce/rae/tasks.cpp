// tasks: rate of remote atomics of one core with 1 to 64 tasks that issue, yield and complete.
//
//   tasks FORM TARGET COUNT [TASKS]
//
//   Place 0 adds COUNT times to random words of 2 MiB in a partition; the others sleep. TARGET is `one`, the place
//   farthest from it, or `all` others. FORM:
//     wait    instructions that wait for their response, one after the other
//     tasks   TASKS coroutines, resumed in turn: each issues an addition, yields, and takes the response when it is
//             resumed
//     loop    TASKS tickets, issued and completed in turn by a loop, without the cost of tasks
//     post    an unrolled loop of additions without response
//     issue   the same to 256 words with precomputed addresses: the issue rate of the hart
//   and, for the rate of the home, with TARGET `one`:
//     home    all other places post COUNT additions each to the words of the last place
//
//   The time is that of the measured part of the statistics (--stats); it ends when all operations are complete.
//
// Source    issue, yield, complete: SoftXMT (Grappa), section 2; the instructions: docs/machine/rae.md.
#include <charconv>
#include <coroutine>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <tess/machine/needs_time.hpp>
#include <tess/machine/xbgas_begin.hpp>
#include <vector>

#include "tiles.hpp"

namespace {

namespace info = tiles::info;
namespace xbgas = tiles::xbgas;
using tiles::own_register;
using tiles::word;

constexpr word words = word{1} << 18U;
tiles::barrier all_places;

/// All places meet; the last one marks the begin or end of the measured part.
void meet(word round, word measured) {
  all_places.meet(round, [measured] { own_register(info::measured) = measured; });
}

/// Target of the next addition: xorshift, with the place in the high bits.
struct random_words {
  word* const* arrays;  ///< by place: its words, at addresses of its own map
  word first;
  word count;
  word state = 0x9e3779b97f4a7c15U;
  struct target {
    word object;
    word* at;
  };
  target next() noexcept {
    state ^= state << 13U;
    state ^= state >> 7U;
    state ^= state << 17U;
    word const place = first + ((state >> 32U) * count >> 32U);
    return {place + 1, arrays[place] + state % words};
  }
};

/// One of a ring of coroutines, each of which resumes the next.
struct task {
  struct promise_type {
    std::coroutine_handle<> next;
    word* tasks_left = nullptr;

    task get_return_object() noexcept { return {std::coroutine_handle<promise_type>::from_promise(*this)}; }
    std::suspend_always initial_suspend() noexcept { return {}; }
    /// Coroutines end in turn; the last one returns to the caller that started them.
    auto final_suspend() noexcept {
      struct after {
        bool await_ready() const noexcept { return false; }
        std::coroutine_handle<> await_suspend(std::coroutine_handle<promise_type> ended) const noexcept {
          if (--*ended.promise().tasks_left == 0) return std::noop_coroutine();
          return ended.promise().next;
        }
        void await_resume() const noexcept {}
      };
      return after{};
    }
    void return_void() noexcept {}
    void unhandled_exception() noexcept { std::abort(); }
  };
  std::coroutine_handle<promise_type> self;
};

struct yield {
  bool await_ready() const noexcept { return false; }
  std::coroutine_handle<> await_suspend(std::coroutine_handle<task::promise_type> self) const noexcept {
    return self.promise().next;
  }
  void await_resume() const noexcept {}
};

task add_words(random_words from, word times) {
  for (word i = 0; i < times; ++i) {
    auto const [object, at] = from.next();
    xbgas::ticket const begun = xbgas::begin_fetch_add(object, at, 1);
    co_await yield{};
    (void)xbgas::take<word>(begun);
  }
}

void by_tasks(random_words const& from, word count, word tasks) {
  std::vector<task> all;
  word left = tasks;
  for (word i = 0; i < tasks; ++i) {
    random_words own = from;
    own.state += i * 0xd1342543de82ef95U;
    all.push_back(add_words(own, count / tasks));
  }
  for (word i = 0; i < tasks; ++i) {
    task::promise_type& promise = all[i].self.promise();
    promise.next = all[(i + 1) % tasks].self;
    promise.tasks_left = &left;
  }
  all.front().self.resume();
  for (task const& one : all) one.self.destroy();
}

void by_loop(random_words& from, word count, word tickets) {
  xbgas::ticket held[xbgas::tickets];
  for (word i = 0; i < tickets; ++i) {
    auto const [object, at] = from.next();
    held[i] = xbgas::begin_fetch_add(object, at, 1);
  }
  word turn = 0;
  for (word i = tickets; i < count; ++i) {
    (void)xbgas::take<word>(held[turn]);
    auto const [object, at] = from.next();
    held[turn] = xbgas::begin_fetch_add(object, at, 1);
    if (++turn == tickets) turn = 0;
  }
  for (word i = 0; i < tickets; ++i) (void)xbgas::take<word>(held[i]);
}

void by_waiting(random_words& from, word count) {
  for (word i = 0; i < count; ++i) {
    auto const [object, at] = from.next();
    (void)xbgas::fetch_add(object, at, 1);
  }
}

void by_posts(random_words& from, word count) {
#pragma GCC unroll 8
  for (word i = 0; i < count; ++i) {
    auto const [object, at] = from.next();
    xbgas::post_fetch_add(object, at, 1);
  }
  xbgas::complete_all();
}

constexpr word ready_targets = 256;
random_words::target ready[ready_targets];

void by_issuing(word count) {
#pragma GCC unroll 8
  for (word i = 0; i < count; ++i) {
    auto const [object, at] = ready[i % ready_targets];
    xbgas::post_fetch_add(object, at, 1);
  }
  xbgas::complete_all();
}

[[noreturn]] void usage() {
  std::fputs(
      "tasks: expected wait, tasks, loop, post, issue or home; one or all; a multiple of 64; and, of tasks and loop, 1 "
      "to 64\n",
      stderr);
  std::exit(2);
}

word number_of(std::string_view text) {
  word number = 0;
  auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size()) usage();
  return number;
}

}  // namespace

int main(int count, char** given) {
  if (count != 4 && count != 5) usage();
  std::string_view const form = given[1];
  std::string_view const target = given[2];
  bool const windowed = form == "tasks" || form == "loop";
  bool const known = windowed || form == "wait" || form == "post" || form == "issue" || form == "home";
  word const times = number_of(given[3]);
  word const tasks = count == 5 ? number_of(given[4]) : 1;
  if (!known || (target != "one" && target != "all") || windowed != (count == 5) || tasks == 0 || times == 0 ||
      times % 64 != 0 || tasks > static_cast<word>(xbgas::tickets))
    usage();
  word const places = own_register(info::programs);
  word const own = own_register(info::program);
  std::vector<word*> arrays;
  for (word place = 0; place < places; ++place) {
    xbgas::fill(place + 1, tiles::tile_of(place));
    arrays.push_back(tiles::words_of(place));
  }
  random_words from{arrays.data(), target == "all" ? 1 : places - 1, target == "all" ? places - 1 : 1};
  from.state += own * 0x2545f4914f6cdd1dU;
  for (auto& one : ready) one = from.next();
  meet(1, 1);
  bool const adds = own == 0 || (form == "home" && own != places - 1);
  if (adds && form == "tasks") by_tasks(from, times, tasks);
  if (adds && form == "loop") by_loop(from, times, tasks);
  if (adds && form == "wait") by_waiting(from, times);
  if (adds && (form == "post" || form == "home")) by_posts(from, times);
  if (adds && form == "issue") by_issuing(times);
  meet(2, 0);
  return 0;
}
