// run_tasks: one turn of a worker: resumes its tasks until the next poll is due.
//
// Threads  the worker's own.
#pragma once

#include "runtime/job/job.hpp"

namespace tess::detail {

/// Up to 64 switches. False if nothing was runnable.
bool run_tasks(worker_state& w);

}  // namespace tess::detail
