// job_file: the memory that the PEs of an OpenSHMEM job on one host share, as `tess run` makes it and libshmem maps it.
//
//   One memory file without a name, cut into slots of equal size. Slot 0 belongs to the job, slot 1 + n to PE n:
//
//     0                     the library's flags (system)
//     data_offset           the statics of the program, at the distance from a page that they have in it
//     half of the slot      the symmetric heap
//
//   The file is sparse: a page takes memory once it is written. The launcher passes its descriptor on.
//
// Units     bytes.
// Source    OpenSHMEM 1.5, section 2 (memory model).
#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace tess::detail::shmem_job {

inline constexpr char const* job_variable = "TESS_SHMEM_JOB";  ///< DESCRIPTOR:PES, of a PE's environment
inline constexpr char const* pe_variable = "TESS_SHMEM_PE";
inline constexpr int pes_max = 4096;
inline constexpr std::uint64_t magic = 0x314d454853534554;  // "TESSHEM1"
inline constexpr std::size_t data_offset = std::size_t{8} << 20U;
/// Candidates for the address of the heap, which is the same at all PEs.
inline constexpr int heap_addresses = 8;

/// Slots of all PEs together take at most 2^46 bytes of address space.
constexpr unsigned slot_shift(int pes) {
  return std::min(38U, 46U - static_cast<unsigned>(std::bit_width(static_cast<unsigned>(pes))));
}
constexpr std::size_t heap_offset(int pes) {
  return std::size_t{1} << (slot_shift(pes) - 1);
}
constexpr std::size_t file_bytes(int pes) {
  return (static_cast<std::size_t>(pes) + 1) << slot_shift(pes);
}

enum class progress : std::uint32_t { started, initialized, finalized };

struct alignas(64) pe_state {
  std::atomic<progress> reached;
  // The program, which must be the same everywhere.
  std::uint64_t program[2];
  std::uint64_t data_begin, data_bytes;
  /// How many of its threads wait for others; above bit 32, how many long waits began.
  std::atomic<std::uint64_t> waits;
};

struct control {
  std::uint64_t magic;
  std::uint32_t pes;
  std::atomic<std::uint32_t> exit_code;            ///< of shmem_global_exit, plus 1
  std::atomic<std::uint32_t> races;                ///< that a checked job has reported
  alignas(64) std::atomic<std::uint64_t> arrived;  ///< meetings at start and end: how many came, in all
  std::atomic<std::uint32_t> refused[heap_addresses];
  pe_state state[pes_max];
};

}  // namespace tess::detail::shmem_job
