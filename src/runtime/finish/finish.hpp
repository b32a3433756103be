// finish: the runtime's side of finish scopes: proxies, reports, and incoming calls.
#pragma once

#include "runtime/job/job.hpp"
#include "tess/finish.hpp"

namespace tess::detail {

/// `n` messages of `source` under the finish arrived here: they are counted, and the scope for them is returned.
[[nodiscard]] finish_scope* arrive(std::uint64_t finish_key, place_id source, std::int64_t n);

/// Proxies at this place that ran idle tell their homes.
void report_idle_finishes(worker_state& w) noexcept;

// A place failed, and all threads stand still:

/// A finish with tasks elsewhere ends with place_failed; the places that are left are asked whether they have any.
void give_up_finish(parked_wait& wait) noexcept;
/// The caller of an incoming `at` failed: nobody waits for the reply, so what it does counts as of now.
void count_orphan(finish_scope& call) noexcept;

/// Frees what is left of other places' finishes when the job has ended.
void forget_proxies(place_state& place) noexcept;

/// How many finishes of this place lie around a task: what it refers to belongs to tasks of smaller depth.
[[nodiscard]] unsigned finish_depth(promise_base const& task) noexcept;

}  // namespace tess::detail
