// pin: threads that stay on one cpu, because a limit measured by a migrating thread is a limit of the scheduler.
//
// Cpus are named by their rank among those the process was allowed at its first call: cpu i of n means the (i mod
// n)-th.
//
// Threads   any. Each function pins only the thread that it names, never its caller, except pin_this_thread().
// Errors    std::system_error if the kernel refuses a cpu it had allowed.
#pragma once

#include <atomic>
#include <functional>
#include <span>

namespace bench {

/// The cpus of the process, read once: call it before anything pins the main thread.
[[nodiscard]] std::span<int const> allowed_cpus();

void pin_this_thread(int cpu_rank);

/// Runs f on a thread of its own pinned to the cpu; returns what f returns, rethrows what it throws.
double on_cpu(int cpu_rank, std::function<double()> const& f);

/// Runs f(0) ... f(threads - 1), each pinned to the cpu of its rank, released together.
/// Returns seconds from the first that starts to the last that ends. f must not throw.
double team_seconds(int threads, std::function<void(int)> const& f);

}  // namespace bench
