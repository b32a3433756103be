// future_relay: waits for a future in place of a task whose await may be given up.
//
//   Those that wait for a future are linked without a lock, so that none can be taken out of the middle, and each lies
//   in the frame of its task, which may end as soon as the await is given up. So the relay is linked instead: a
//   coroutine of its own that stays until the future's task has ended, and then resumes the task that still waits.
//
// Threads  the worker of the task that waits.
// Cost     a frame of the worker's pool and a resumption, for awaits under with_timeout or with_stop only.
#include <coroutine>
#include <exception>
#include <new>
#include <utility>

#include "tess/future.hpp"

namespace tess::detail {

struct future_relay {
  using promise_type = relay_promise;
  relay_promise* promise;
};

struct relay_promise : promise_base {
  future_waiter waiter{};
  future_await* await = nullptr;  ///< null: it was given up
  promise_base* result = nullptr;

  static void* operator new(std::size_t bytes) { return self->frames.allocate(bytes, frame_pool::kind::raw); }
  static void operator delete(void* frame) noexcept { self->frames.release(frame); }

  future_relay get_return_object() noexcept { return {this}; }
  std::suspend_always initial_suspend() noexcept { return {}; }
  struct end_awaiter {
    static constexpr bool await_ready() noexcept { return false; }
    static std::coroutine_handle<> await_suspend(std::coroutine_handle<relay_promise> h) noexcept {
      return h.promise().end();
    }
    static constexpr void await_resume() noexcept {}
  };
  end_awaiter final_suspend() noexcept { return {}; }
  void return_void() noexcept {}
  void unhandled_exception() noexcept { std::terminate(); }

  void destroy() noexcept { std::coroutine_handle<relay_promise>::from_promise(*this).destroy(); }

 private:
  /// The future's task has ended, and this resumption is its news.
  std::coroutine_handle<> end() noexcept {
    worker& w = *self;
    bool const reads = (waiter.shares & future_waiter::is_reader) != 0;
    promise_base& ended = *result;
    promise_base* waiting = nullptr;
    if (await != nullptr) {
      waiting = await->task;
      await->relay_ = nullptr;
      if (reads) {
        await->shares |= future_waiter::is_reader;
      } else if ((await->shares & future_waiter::is_future) == 0) {
        // Another task could drop the last future before this one has its turn.
        ended.continuation.add_future(w.single);
        await->shares = future_waiter::is_future;
      }
    }
    w.current = &w.handler;
    destroy();
    if (waiting != nullptr) return w.resume_now(waiting);
    if (reads && ended.continuation.end_reading(w.single)) handle_of(&ended).destroy();
    return w.next();
  }
};
static_assert(alignof(relay_promise) == alignof(promise_base));

namespace {

future_relay make_relay() {
  co_return;
}

}  // namespace

std::coroutine_handle<> future_await::suspend_stoppable(promise_base& p) noexcept {
  if (!enter(p)) return handle_of(&p);
  try {
    relay_ = make_relay().promise;
  } catch (std::bad_alloc const&) {
    // Without memory the await lasts until the task has ended.
    return park(p);
  }
  worker& w = *self;
  kind = &future_wait;
  task = &p;
  relay_->await = this;
  relay_->result = &result_;
  relay_->waiter.task = relay_;
  relay_->waiter.notify = w.notify_id();
  relay_->waiter.shares = future_waiter::is_reader;
  p.waits_for = this;
  if (!result_.continuation.wait(relay_->waiter, w.single)) {
    std::exchange(relay_, nullptr)->destroy();
    return has_ended(p);
  }
  return w.next_after_look();
}

bool future_await::take_back() noexcept {
  if (relay_ == nullptr) return false;
  std::exchange(relay_, nullptr)->await = nullptr;
  return true;
}

}  // namespace tess::detail
