// delayed: atomics with _nbi that were inlined and wait for their cache lines.
//
//   The header fetches the line of a word, and notes the operation; it is done when some 32 others have followed, so
//   that many lines are on their way at the same time. Whatever orders operations of this PE, or waits, does all of
//   them first. There is one list for all contexts, since more may be complete than must be.
//
// Threads   one at a time: a program that asked for SHMEM_THREAD_MULTIPLE delays nothing.
// Source    OpenSHMEM 1.5, section 9.7: complete after shmem_quiet.
#pragma once

#include "shmem/shmem.hpp"

namespace tess::shmem {

#if defined(__riscv)
// Words of tiles are instructions that are waited for.
inline void settle() {}
#else
extern constinit tess_shmem_delayed delayed;

/// Does what waits.
inline void settle() {
  if (delayed.made != delayed.done) [[unlikely]]
    tess_shmem_settle(&delayed, 0);
}
#endif

}  // namespace tess::shmem
