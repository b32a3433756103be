// abort: the end of a job that cannot go on: something broke of which no task could be told.
//
//   A message that no handler understands, or no memory for the runtime's own books: the first such event is kept,
//   every thread leaves its loop between two tasks, the frames that are left are destroyed, the text is printed and
//   tess::run() gives exit code 1. Destructors that wait for operations give up, but not before all threads stopped
//   polling: then nothing can arrive in memory that is given up (docs/internals/contract.md, 8).
//
// Threads  abort_job: any. It returns; the caller goes on as if nothing had happened, and its results do not matter.
// Cost     no allocation: it is called because there was none.
#pragma once

#include "runtime/job/job.hpp"

namespace tess::detail {

/// To be called while an exception is handled, which it quotes: `place N, while <doing>: <the exception's text>`.
[[gnu::cold, gnu::format(printf, 1, 2)]] void abort_job(char const* doing, ...) noexcept;

/// The job is ending because of abort_job().
[[nodiscard]] inline bool job_aborted() noexcept {
  return the_job->abort.begun.load(std::memory_order_relaxed);
}

/// The calling thread will not poll again.
void stop_polling(thread_state& thread) noexcept;
/// No thread of a broken job polls any more.
[[nodiscard]] bool all_stopped_polling() noexcept;

/// Destroys the tasks that a broken job left behind. After its threads ended.
void destroy_tasks(job_state& j);

/// Prints why the job ended.
void print_abort(job_state const& j) noexcept;

/// Prints what left the program.
void print_exception(std::exception_ptr exception);

}  // namespace tess::detail
