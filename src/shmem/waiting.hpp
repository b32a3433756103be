// waiting: waits for a word that another PE changes: spins at first, then lets other processes have the processor.
//
// Cost      with more PEs than processors a turn of the others; otherwise the time of a cache line.
#pragma once

#include <sched.h>

namespace tess::shmem {

inline void pause_processor() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#else
  asm volatile("" ::: "memory");
#endif
}

/// Rounds of spinning before the first yield; few if PEs share processors.
extern int spins;

template <class Ready>
void wait_for(Ready&& ready) {
  for (int round = 0; round < spins; ++round) {
    if (ready()) return;
    pause_processor();
  }
  while (!ready()) sched_yield();
}

}  // namespace tess::shmem
