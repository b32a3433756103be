// finish: the runtime's side of finish scopes: proxies, reports, and incoming calls.
#pragma once

#include "runtime/job.hpp"
#include "tess/finish.hpp"

namespace tess::detail {

/// `n` messages under the finish arrived here: they are counted, and the scope for them is returned.
[[nodiscard]] finish_scope* arrive(std::uint64_t finish_key, std::int64_t n);

/// Proxies at this place that ran idle tell their homes.
void report_idle_finishes(worker_state& w);

}  // namespace tess::detail
