// finish: the runtime's side of finish scopes: proxies, reports, incoming calls, and failures.
#pragma once

#include "runtime/job/job.hpp"
#include "tess/finish.hpp"

namespace tess::detail {

/// Counts `n` messages from `source` that arrived here under the finish; returns the scope for them.
[[nodiscard]] finish_scope* arrive(std::uint64_t finish_key, place_id source, std::int64_t n);

/// Sends the reports of idle proxies of this place to their homes.
void report_idle_finishes(worker_state& w) noexcept;

// After a failure, while all threads are paused:

/// Lets a finish with tasks elsewhere end with place_failed, and asks the surviving places whether they have any.
void give_up_finish(parked_wait& wait) noexcept;
/// The caller of an incoming `at` failed and nothing waits for the reply: the call counts for its finish from now on.
void count_orphan(finish_scope& call) noexcept;

/// Frees the proxies that are left when the job has ended.
void forget_proxies(place_state& place) noexcept;

/// How many finishes of this place enclose a task: the variables that it refers to belong to tasks of smaller depth.
[[nodiscard]] unsigned finish_depth(promise_base const& task) noexcept;

}  // namespace tess::detail
