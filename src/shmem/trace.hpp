// trace: `tess run --trace FILE`: when each PE was in which call, for Perfetto.
//
//   Each PE is a track, each call a slice with its bytes, the other PE and its line in the program. An arrow leads from
//   the put, atomic or signal to the wait that saw its word. PE 0 collects the events of all PEs at shmem_finalize and
//   writes the file; a job that ends otherwise leaves none.
//
// Threads   any.
// Errors    fail: the file cannot be written.
// Cost      without --trace nothing; with it 48 bytes a call, for the first half million calls of each PE.
#pragma once

#include <cstdint>

#include "shmem/observe.hpp"

namespace tess::shmem {

extern bool tracing;

/// The call of this thread has ended, as the operation that it was.
void trace_call(operation const& of, std::uint64_t result, double began);

/// At init and finalize; both are called by all PEs.
void begin_trace();
void end_trace();

}  // namespace tess::shmem
