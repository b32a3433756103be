// profile: counts calls, bytes, time and which PE they went to, for `tess run --stats FILE`.
//
//   With it every word is a call instead of an instruction in the program, so that it is counted, too. At the end PE 0
//   collects what all PEs counted and writes the file: JSON; or, by its ending, .csv: the bytes that each PE moved to
//   and from each; .svg: the same as a picture.
//
// Units     bytes; seconds in a call, which for waits, locks and collectives is mostly waiting.
// Threads   any.
// Errors    fail: the file cannot be written.
// Cost      without --stats one comparison a call.
#pragma once

#include <cstddef>
#include <string>

namespace tess::shmem {

/// Calls are counted.
#if defined(__riscv)
inline constexpr bool profiling = false;
#else
extern bool profiling;
#endif

#if defined(__riscv)
// A machine counts itself.
inline void count_call(char const*, void*, double) {}
inline void count_bytes(std::size_t, int) {}
inline double seconds_now() {
  return 0;
}
inline void begin_profile() {}
inline void end_profile() {}
#else
/// A call that this thread has ended: its function, the address after it in the program, and when it began.
void count_call(char const* name, void* from, double began);
/// Bytes that the current call of this thread moves from or to a PE.
void count_bytes(std::size_t bytes, int pe);
[[nodiscard]] double seconds_now();

/// At init and finalize; both are called by all PEs.
void begin_profile();
void end_profile();
#endif

}  // namespace tess::shmem
