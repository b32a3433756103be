// waiting: waits for a word that another PE changes. A PE on a tile sleeps until the word is written, or a message
// comes.
//
// Cost      some instructions for each write to the word; a wait for one of several words looks again and again.
#pragma once

#include <cstdint>

#include "shmem/job.hpp"
#include "shmem/tile/messages.hpp"

namespace tess::shmem {

void progress_network();

/// Rounds of spinning; a PE on a tile does not spin.
extern int spins;

/// The word is watched from now on.
inline void reserve(void const* word) {
  std::uint64_t value;
  auto const at = reinterpret_cast<std::uintptr_t>(word) / sizeof value * sizeof value;
  asm volatile("lr.d %0, (%1)" : "=r"(value) : "r"(at) : "memory");
}
/// Until the reserved word changes.
inline void sleep_reserved() {
  asm volatile(".4byte 0x00d00073" ::: "memory");  // wrs.nto
}
inline void pause_processor() {
  asm volatile(".4byte 0x0100000f" ::: "memory");  // pause
}

/// `word`: the one that makes it ready; null: there are several.
template <class Ready>
void wait_for(Ready&& ready, void const* word = nullptr) {
  if (messages::used) [[unlikely]] {
    while (!ready()) messages::serve_one();
    return;
  }
  if (word == nullptr) {
    while (!ready()) pause_processor();
    return;
  }
  for (;;) {
    reserve(word);
    if (ready()) return;
    sleep_reserved();
  }
}

}  // namespace tess::shmem
