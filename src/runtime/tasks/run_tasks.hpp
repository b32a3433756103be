// run_tasks: one turn of a worker: its tasks are resumed, up to so many switches, until the next poll is due.
//
// Threads  the worker's own.
#pragma once

#include "runtime/job/job.hpp"

namespace tess::detail {

/// One turn: up to 64 switches. False if nothing was runnable.
bool run_tasks(worker_state& w);

}  // namespace tess::detail
