// checks: `tess run --fabric checked`: conflicting accesses of PEs that nothing orders, and collectives that PEs call
// differently.
//
//   Calls are seen, and the program's own loads and stores if it was compiled by `tess cc --races`. A race is reported
//   once for each pair of lines, and the job goes on; `tess run` then returns 2. A collective that cannot end as the
//   program wants ends the job with 2.
//
// Threads   any; those of one PE count as one.
// Errors    fail: PEs disagree on a collective; source and dest overlap; the job has a network.
// Cost      a lock of the whole job for each call, and some 200 ns for every 8 bytes.
#pragma once

#include <cstdint>

#include "shmem/observe.hpp"

namespace tess::shmem::checking {

/// The job is checked; all PEs say the same.
[[nodiscard]] bool wanted();
void open();
void close();
/// Between open and close: the program's own accesses are seen, too, if it was compiled for that (own_accesses.cpp).
extern bool sees_accesses;

/// Around a call.
void before(operation const& o);
void after(operation const& o, std::uint64_t result);

}  // namespace tess::shmem::checking
