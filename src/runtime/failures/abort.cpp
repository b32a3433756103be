// abort: keeps the first reason in a fixed buffer; destroys frames, those of inner finishes first.
#include "runtime/failures/abort.hpp"

#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <thread>

#include "runtime/finish/finish.hpp"
#include "runtime/messages/exception_wire.hpp"
#include "runtime/tasks/worker_loop.hpp"

namespace tess::detail {

namespace {

void write_reason(std::span<char> text, char const* doing, std::va_list words) noexcept {
  auto const rest = [&](int used) { return text.subspan(std::min(text.size() - 1, static_cast<std::size_t>(used))); };
  if (self != nullptr) text = rest(std::snprintf(text.data(), text.size(), "place %u, ", unsigned{self->place}));
  text = rest(std::snprintf(text.data(), text.size(), "while "));
  text = rest(std::vsnprintf(text.data(), text.size(), doing, words));
  try {
    throw;
  } catch (std::exception const& e) {
    std::snprintf(text.data(), text.size(), ": %s", e.what());
  } catch (...) {
    std::snprintf(text.data(), text.size(), ": an exception that is no std::exception");
  }
}

struct left_task {
  promise_base* task;
  worker_state* worker;
  unsigned depth;
};

/// Tasks that were handed to the scheduler. Tasks that others await or hold in a variable are destroyed with those.
std::vector<left_task> left_tasks(job_state& j) {
  std::vector<left_task> left;
  for (auto const& w : j.workers)
    w->frames.for_each_task([&](void* frame) {
      promise_base* const p = &std::coroutine_handle<promise_base>::from_address(frame).promise();
      if (p->continuation.outer() == nullptr && p->scope != nullptr) left.push_back({p, w.get(), finish_depth(*p)});
    });
  return left;
}

}  // namespace

void abort_job(char const* doing, ...) noexcept {
  job_state& j = *the_job;
  if (!j.abort.begun.exchange(true, std::memory_order_seq_cst)) {
    std::va_list words;
    va_start(words, doing);
    write_reason(j.abort.reason, doing, words);
    va_end(words);
    // release: the text.
    j.abort.reason_written.store(true, std::memory_order_release);
  }
  j.stopping.store(true, std::memory_order_seq_cst);
  wake_all();
}

void cancel_job(std::string_view reason) noexcept {
  job_state& j = *the_job;
  if (!j.abort.begun.exchange(true, std::memory_order_seq_cst)) {
    j.abort.cancelled.store(true, std::memory_order_relaxed);
    reason.copy(j.abort.reason, sizeof j.abort.reason - 1);
    j.abort.reason_written.store(true, std::memory_order_release);
  }
  j.stopping.store(true, std::memory_order_seq_cst);
  wake_all();
}

void stop_polling(thread_state& thread) noexcept {
  // release: everything that this thread delivered.
  thread.polls_no_more.store(true, std::memory_order_release);
}

bool all_stopped_polling() noexcept {
  return std::ranges::all_of(the_job->threads,
                             [](thread_state const& t) { return t.polls_no_more.load(std::memory_order_acquire); });
}

void destroy_tasks(job_state& j) {
  // Destructors of the program may spawn tasks, which are destroyed too.
  for (int round = 0; round < 3; ++round) {
    std::vector<left_task> left = left_tasks(j);
    // Tasks may refer to variables of the task that waits for their finish.
    std::ranges::sort(left, std::greater(), &left_task::depth);
    for (left_task const& t : left) {
      self = t.worker;
      self->current = &self->handler;
      // Its futures may be in frames that are destroyed later.
      if (t.task->continuation.is_shared()) frame_pool::never_reuse(handle_of(t.task).address());
      handle_of(t.task).destroy();
    }
  }
  self = nullptr;
}

void print_abort(job_state const& j) noexcept {
  bool const written = j.abort.reason_written.load(std::memory_order_acquire);
  std::fprintf(stderr, "tess: the job cannot go on: %s\n", written ? j.abort.reason : "no reason was given in time");
}

void print_exception(job_state& j, std::exception_ptr const& exception) {
  try {
    std::rethrow_exception(exception);
  } catch (remote_error const& e) {
    std::fprintf(stderr, "tess: the program ended with an exception: %s\n", e.what());
  } catch (std::exception const& e) {
    std::fprintf(stderr, "tess: the program ended with an exception: %s: %s\n", type_name_of(typeid(e)).c_str(),
                 e.what());
  } catch (...) {
    std::fprintf(stderr, "tess: the program ended with an exception: %s, which is no std::exception\n",
                 type_name_of_current().c_str());
  }
  std::fputs(j.places.front()->exceptions.text_of(exception).c_str(), stderr);
}

}  // namespace tess::detail
