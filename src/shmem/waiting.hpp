// waiting: waits for a word that another PE changes: spins at first, then lets other processes have the processor.
//
//   A job with a network is moved on meanwhile. On tiles tile/waiting.hpp takes its place: a PE sleeps there.
//
// Cost      with more PEs than processors a turn of the others; otherwise the time of a cache line.
#pragma once

#if defined(__riscv)
#include "shmem/tile/waiting.hpp"
#else

#include <sched.h>

#include <cstdint>

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

/// A long wait, which the launcher sees: when a PE ended without shmem_finalize, and all others wait, it ends the job.
class shown_wait {
 public:
  shown_wait() {
    if (own.control != nullptr) own.control->state[own.pe].waits.fetch_add((std::uint64_t{1} << 32U) + 1);
  }
  ~shown_wait() {
    if (own.control != nullptr) own.control->state[own.pe].waits.fetch_sub(1);
  }
  shown_wait(shown_wait const&) = delete;
  shown_wait& operator=(shown_wait const&) = delete;
};

/// The second argument is the word that makes it ready, if it is one word: only tiles need it.
template <class Ready>
[[gnu::always_inline]] inline void wait_for(Ready&& ready, void const* = nullptr) {
  bool const has_network = own.network != nullptr;
  for (int round = 0; round < spins; ++round) {
    if (ready()) return;
    if (!has_network) [[likely]]
      pause_processor();
    else
      progress_network();
  }
  shown_wait const shown;
  while (!ready()) {
    if (has_network) progress_network();
    sched_yield();
  }
}

}  // namespace tess::shmem

#endif
