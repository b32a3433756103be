// list_coroutines: bare coroutines, one list each, resumed in turn without a scheduler.
#include <coroutine>
#include <exception>
#include <vector>

#include "harness/clock.hpp"
#include "limits/list_loop.hpp"

namespace bench {
namespace {

/// A ring of handles; a coroutine that suspends resumes the next one by symmetric transfer.
struct round_robin {
  std::vector<std::coroutine_handle<>> all;
  std::size_t next = 0;
  std::uint64_t left = 0;
};

struct follower {
  struct promise_type {
    follower get_return_object() noexcept { return {std::coroutine_handle<promise_type>::from_promise(*this)}; }
    std::suspend_always initial_suspend() noexcept { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    void return_void() noexcept {}
    void unhandled_exception() noexcept { std::terminate(); }
  };
  std::coroutine_handle<> handle;
};

struct pass_on {
  round_robin& turns;
  [[nodiscard]] bool await_ready() const noexcept { return false; }
  [[nodiscard]] std::coroutine_handle<> await_suspend(std::coroutine_handle<> /*self*/) const noexcept {
    if (++turns.next == turns.all.size()) turns.next = 0;
    return turns.all[turns.next];
  }
  void await_resume() const noexcept {}
};

follower follow(list_line* at, round_robin& turns) {
  for (; turns.left != 0; --turns.left) {
    __builtin_prefetch(at);
    co_await pass_on{turns};
    at = at->next;
  }
  do_not_optimize(at);
  // Back to the caller, as all other coroutines have ended or will not be resumed.
  co_await std::suspend_always{};
}

}  // namespace

double list_coroutines(lists const& all, std::uint32_t count, std::uint64_t lines) {
  round_robin turns;
  turns.left = lines;
  for (std::uint32_t k = 0; k < count; ++k) turns.all.push_back(follow(all.start(k, count), turns).handle);
  double const seconds = seconds_of([&] { turns.all.front().resume(); });
  for (std::coroutine_handle<> const h : turns.all) h.destroy();
  return static_cast<double>(lines) / seconds / 1e6;
}

}  // namespace bench
