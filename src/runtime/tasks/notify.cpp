// notify: makes tasks runnable from other threads: cookies, ready queues, and waking the threads.
#include "runtime/job/job.hpp"
#include "runtime/tasks/worker_loop.hpp"
#include "tess/at.hpp"
#include "tess/counter.hpp"
#include "tess/timeout.hpp"

namespace tess::detail {

void wake_for_work(worker& w) noexcept {
  for (worker_state* const other : the_job->place(w.place).workers) {
    thread_state& t = the_job->threads[other->thread];
    if (t.asleep.load(std::memory_order_relaxed)) {
      the_job->fabric->wake(t.index);
      return;
    }
  }
}

void wake_task(std::uint32_t worker_id, promise_base& p) noexcept {
  notify_worker(worker_id, reinterpret_cast<std::uint64_t>(static_cast<ready_node*>(&p)));
}

void take_cookie(worker_state& w, std::uint64_t cookie) noexcept {
  ready_node* const n = node_of(cookie);
  if ((cookie & stop_message_tag) == stop_message_tag) {
    take_stop_message(static_cast<stop_message*>(n));
    return;
  }
  if ((cookie & word_slot_tag) != 0) {
    w.frames.release(n);
    return;
  }
  if ((cookie & at_slot_tag) != 0) {
    end_abandoned(static_cast<at_slot*>(n));
    return;
  }
  auto* const p = static_cast<promise_base*>(n);
  p->waits_for = nullptr;
  w.make_runnable(p);
}

void notify_worker(std::uint32_t notify, std::uint64_t cookie) noexcept {
  worker_state& target = the_job->worker_of(notify);
  if (&target == self) {
    take_cookie(target, cookie);
    return;
  }
  ready_node* const n = node_of(cookie);
  n->next_ready = target.ready.load(std::memory_order_relaxed);
  // release: what was acknowledged. Sequentially consistent, because wake() then reads whether the thread sleeps.
  while (!target.ready.compare_exchange_weak(n->next_ready, cookie, std::memory_order_seq_cst,
                                             std::memory_order_relaxed)) {
  }
  the_job->fabric->wake(target.thread);
}

bool task_continuation::drop_future() noexcept {
  races::release(this);
  bool const single = self->single;
  std::uint64_t seen = word_.load(std::memory_order_acquire);
  while (seen < most_futures) {
    if ((seen & ~failed) == (shared | ended | one_future)) {
      races::acquire(this);
      return true;
    }
    if (change(seen, seen - one_future, single)) return false;
  }
  return false;
}

void task_continuation::tell_all(future_waiter* last) noexcept {
  future_waiter* first = nullptr;
  while (last != nullptr) {
    future_waiter* const before = std::exchange(last->before, first);
    first = std::exchange(last, before);
  }
  while (first != nullptr) {
    // A task that is told may end, and its waiter with it.
    future_waiter const& w = *std::exchange(first, first->before);
    wake_task(w.notify, *w.task);
  }
}

std::coroutine_handle<> end_and_tell(finish_scope& scope, future_waiter* last) noexcept {
  task_continuation::tell_all(last);
  return self->after_task(scope);
}

void wake_all() noexcept {
  for (thread_state const& t : the_job->threads) the_job->fabric->wake(t.index);
}

void drain(completion& cell) noexcept {
  // After a failure some acknowledgements never arrive; those of the fabric do, and soon.
  static constexpr auto wait_max = std::chrono::seconds(1);
  wait_polling(
      "operations of a counter that is destroyed",
      [](void* c) {
        return static_cast<completion*>(c)->idle() ||
               (job.failed != nullptr && std::chrono::steady_clock::now() > the_job->failures.announced_at + wait_max);
      },
      &cell);
}

}  // namespace tess::detail
