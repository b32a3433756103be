// checks: `tess run --fabric checked`: conflicting accesses of PEs that nothing orders, and collectives that PEs call
// differently.
//
//   Only calls are seen, not the program's own loads and stores. A race is reported once for each pair of lines, and
//   the job goes on; `tess run` then returns 2. A collective that cannot end as the program wants ends the job with 2.
//
// Threads   any; those of one PE count as one.
// Errors    fail: PEs disagree on a collective; source and dest overlap; the job has a network.
// Cost      a lock of the whole job for each call, and some 50 ns for every 8 bytes.
#pragma once

#include <cstdint>

#include "shmem/observe.hpp"

namespace tess::shmem::checking {

/// The job is checked; all PEs say the same.
[[nodiscard]] bool wanted();
void open();

/// Around a call.
void before(operation const& o);
void after(operation const& o, std::uint64_t result);

}  // namespace tess::shmem::checking
