// waiting: waits for a word that another PE changes: spins at first, then lets other processes have the processor.
//
//   A job with a network is moved on meanwhile.
//
// Cost      with more PEs than processors a turn of the others; otherwise the time of a cache line.
#pragma once

#include <sched.h>

#include "shmem/job.hpp"

namespace tess::shmem {

inline void pause_processor() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#else
  asm volatile("" ::: "memory");
#endif
}

void progress_network();

/// Rounds of spinning before the first yield; few if PEs share processors.
extern int spins;

template <class Ready>
[[gnu::always_inline]] inline void wait_for(Ready&& ready) {
  bool const has_network = own.network != nullptr;
  for (int round = 0; round < spins; ++round) {
    if (ready()) return;
    if (!has_network) [[likely]]
      pause_processor();
    else
      progress_network();
  }
  while (!ready()) {
    if (has_network) progress_network();
    sched_yield();
  }
}

}  // namespace tess::shmem
