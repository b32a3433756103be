// pin: threads pinned to one cpu, since a limit measured by a migrating thread would include the scheduler.
//
//   A cpu is identified by its rank among those that the process was allowed at the first call: cpu i of n means the
//   (i mod n)-th.
//
// Threads   any. No function except pin_this_thread() pins its caller.
// Errors    std::system_error if the kernel refuses a cpu it had allowed.
#pragma once

#include <atomic>
#include <functional>
#include <span>

namespace bench {

/// The cpus of the process, read once; must be called before anything pins the main thread.
[[nodiscard]] std::span<int const> allowed_cpus();

void pin_this_thread(int cpu_rank);

/// Runs f on a new thread pinned to the cpu; returns its result or rethrows its exception.
double on_cpu(int cpu_rank, std::function<double()> const& f);

/// Runs f(0) ... f(threads - 1), each pinned to the cpu of its rank, started together.
/// Returns the seconds from the first start to the last end. f must not throw.
double team_seconds(int threads, std::function<void(int)> const& f);

}  // namespace bench
