// abort: ends a job that cannot go on, because of an error that no task could receive as an exception.
//
//   Examples are a message that no handler accepts, and no memory for the runtime's own data. The first such error is
//   kept. Every thread leaves its loop between two tasks, the remaining frames are destroyed, the text is printed, and
//   tess::run() returns 1. Destructors that wait for operations give up, but not before all threads stopped polling:
//   then nothing can arrive in memory that they free (docs/internals/contract.md, 8).
//
// Threads  abort_job: any. It returns; the caller goes on, and its results do not matter.
// Cost     no allocation, because there may be no memory.
#pragma once

#include "runtime/job/job.hpp"

namespace tess::detail {

/// To be called in an exception handler, whose exception it quotes: `place N, while <doing>: <the exception's text>`.
[[gnu::cold, gnu::format(printf, 1, 2)]] void abort_job(char const* doing, ...) noexcept;

/// The program's own wish to end the run, from outside: nothing is printed, and a task that does not come to a co_await
/// is waited for.
[[gnu::cold]] void cancel_job(std::string_view reason) noexcept;

/// abort_job() or cancel_job() was called.
[[nodiscard]] inline bool job_aborted() noexcept {
  return the_job->abort.begun.load(std::memory_order_relaxed);
}

/// The calling thread will not poll again.
void stop_polling(thread_state& thread) noexcept;
/// No thread of an aborted job polls any more.
[[nodiscard]] bool all_stopped_polling() noexcept;

/// Destroys the tasks that an aborted job left behind. After its threads ended.
void destroy_tasks(job_state& j);

/// Prints why the job was aborted.
void print_abort(job_state const& j) noexcept;

/// Prints an exception that left the program: its type, its text, and its way through tasks and places.
void print_exception(job_state& j, std::exception_ptr const& exception);

}  // namespace tess::detail
