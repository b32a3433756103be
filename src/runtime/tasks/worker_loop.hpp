// worker_loop: the loop of a thread: run its workers in turn, poll, steal, sleep; and waiting inside it.
#pragma once

#include "runtime/job/job.hpp"
#include "tess/task.hpp"

namespace tess::detail {

struct stop_message;

/// Runs the workers of a thread until the job stops.
void run_thread(thread_state& thread);

/// Delivers messages for this worker's place and makes notified tasks runnable; true if there was anything.
bool poll(worker_state& w) noexcept;

/// While a task waits without suspending: handles messages, and sends what handlers sent and the reports of finishes
/// whose last message was among them, for which other places may wait.
void serve_others(worker_state& w) noexcept;

/// Polls for every worker of the calling thread until `done()`, where code must wait without suspending. No user task
/// of this worker runs meanwhile. If it takes long, tasks of the thread's other workers run, unless these workers wait
/// like this themselves. `what`: for the stall report. In an aborted job it returns once no thread polls any more.
void wait_polling(char const* what, bool (*done)(void*), void* context) noexcept;

/// Makes a task of this worker runnable from anywhere.
void wake_task(std::uint32_t worker, promise_base& p) noexcept;

/// Starts a task of the runtime itself, which counts for no finish.
void start_system_task(task<void> t);

/// Runs the timers that are due.
void expire_timers(worker_state& w) noexcept;

/// A stop request arrived at the worker of its scope.
void take_stop_message(stop_message* m) noexcept;

/// Wakes every thread (to stop, to report).
void wake_all() noexcept;

}  // namespace tess::detail
