// worker_loop: what a thread does: run its workers in turn, poll, steal, sleep.
#pragma once

#include "runtime/job/job.hpp"
#include "tess/task.hpp"

namespace tess::detail {

struct stop_message;

/// Runs the workers of a thread until the job stops.
void run_thread(thread_state& thread);

/// Delivers messages for this worker's place and takes what became ready; true if there was anything.
bool poll(worker_state& w) noexcept;

/// Polls for every worker of the calling thread until `done()`: for the few places that must wait without suspending.
/// No user task of this worker runs meanwhile; those of the thread's other workers do when it takes long, unless they
/// wait like this themselves. `what`: for the stall report. In a job that cannot go on it returns as soon as no thread
/// polls any more.
void wait_polling(char const* what, bool (*done)(void*), void* context) noexcept;

/// Makes a task of this worker runnable from anywhere.
void wake_task(std::uint32_t worker, promise_base& p) noexcept;

/// Queues a task of the runtime itself: it counts for no finish.
void start_system_task(task<void> t);

/// Does what is due.
void expire_timers(worker_state& w) noexcept;

/// A request of stop came to its worker.
void take_stop_message(stop_message* m) noexcept;

/// Wakes every thread (to stop, to report).
void wake_all() noexcept;

}  // namespace tess::detail
