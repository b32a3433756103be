// job: the PEs of the job, the memory that they share, and how this process joins and leaves them.
//
//   The launcher hands over a memory file (tess/detail/shmem/job_file.hpp); a program that was started alone makes one
//   for itself. Each process maps the slots of all PEs once, and its own heap and statics a second time: the heap where
//   all PEs have it, the statics where the program has them.
//
// Threads   begin and end: one. Everything else: any.
// Errors    misuse ends the program with 2 and says which call, what was wrong and what is right.
// Cost      a page takes memory when it is touched; address space is that of all slots.
#pragma once

#include <cstddef>
#include <cstdint>

#include "tess/detail/shmem/job_file.hpp"

namespace tess::shmem {

struct job_state {
  int pe = -1;
  int pes = 0;  ///< 0 before shmem_init and after shmem_finalize
  detail::shmem_job::control* control = nullptr;
  std::byte* slots = nullptr;  ///< of PE 0
  unsigned slot_shift = 0;
  std::byte* heap = nullptr;
  std::size_t heap_bytes = 0;
  std::byte* data = nullptr;
  std::size_t data_bytes = 0;
  std::size_t data_in_slot = 0;  ///< where `data` is in each slot
  int threads = 0;               ///< SHMEM_THREAD_…
};
extern constinit job_state own;

inline std::byte* slot_of(int pe) {
  return own.slots + (static_cast<std::size_t>(pe) << own.slot_shift);
}

/// Joins the others; all PEs call it.
void begin(int threads);
void end();
/// All PEs, at start and end: without the flags of teams.
void meet();
/// Lets inlined words through, or makes every word a call.
void show_view(bool inlined);

}  // namespace tess::shmem
