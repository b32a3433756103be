// job: the PEs of the job, the memory that they share, and how this process joins and leaves them.
//
//   On one host `tess run` hands over a memory file (tess/detail/shmem/job_file.hpp); a program that was started alone
//   makes one for itself. Each process maps the slots of all PEs once, and its own heap and statics a second time: the
//   heap where all PEs have it, the statics where the program has them. Under a launcher of several hosts the slots are
//   the segments of the fabric (network.hpp), and PEs of other hosts have no window. On tiles (tile/job.cpp) only the
//   own memory has one.
//
// Threads   begin and end: one. Everything else: any.
// Errors    misuse ends the program with 2 and says which call, what was wrong and what is right.
// Cost      a page takes memory when it is touched; address space is that of all slots.
#pragma once

#include <unistd.h>

#include <chrono>
#include <cstddef>
#include <cstdint>

#include "tess/detail/shmem/job_file.hpp"

namespace tess::shmem {

class network;

struct job_state {
  int pe = -1;
  int pes = 0;                                    ///< 0 before shmem_init and after shmem_finalize
  detail::shmem_job::control* control = nullptr;  ///< null: the job has a network
  class network* network = nullptr;               ///< null: all PEs are in the launcher's memory file
  char* const* windows = nullptr;                 ///< by PE its heap and its statics; null: no window
  std::byte* heap = nullptr;
  std::size_t heap_bytes = 0;
  std::byte* data = nullptr;
  std::size_t data_bytes = 0;
  int threads = 0;    ///< SHMEM_THREAD_…
  pid_t process = 0;  ///< the PE's; one that it forked is none
};
extern constinit job_state own;

/// This process is the PE, not one that it has forked and that ends by exit.
inline bool is_pe() {
  return own.process == getpid();
}

/// A PE's heap, its statics, and its flags before them; null: no window.
inline std::byte* heap_of(int pe) {
  return reinterpret_cast<std::byte*>(own.windows[2 * static_cast<std::size_t>(pe)]);
}
inline std::byte* data_of(int pe) {
  return reinterpret_cast<std::byte*>(own.windows[2 * static_cast<std::size_t>(pe) + 1]);
}
#if defined(__riscv)
std::byte* system_of(int pe);
inline bool shares_memory(int) {
  return true;
}
void* pointer_to(void const* address, int pe);
/// Where in the heap one memory ends and another begins; 0: nowhere.
std::size_t heap_border();
#else
inline std::size_t heap_border() {
  return 0;
}
/// The processor's loads and stores reach the PE.
inline bool shares_memory(int pe) {
  return heap_of(pe) != nullptr;
}
inline std::byte* system_of(int pe) {
  std::byte* const data = data_of(pe);
  return data == nullptr ? nullptr : data - detail::shmem_job::data_offset;
}
#endif

/// Joins the others; all PEs call it.
void begin(int threads);
void end();
/// All PEs, at start and end: without the flags of teams.
void meet();
/// The same for so long at most, in a process that ends; nothing if the job has a network.
void meet_for(std::chrono::milliseconds time);
/// Lets inlined words through, or makes every word a call.
void show_view(bool inlined);

// Memory of the heap, after an object was made there and after it has been freed.
void take_memory(std::byte* object, std::size_t size);
void give_back_memory(std::byte* object, std::size_t size);

}  // namespace tess::shmem
