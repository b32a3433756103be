// spawned_job: the memory file in which the processes that `tess spawn` started on this host meet.
//
//   The launcher makes it, and notes in it which processes have ended. A process maps the front, a header and a record
//   for each, and reads and writes what lies behind: what processes said of themselves, appended.
//
// Shapes   header 64 bytes, a record of 16 bytes for each process, then entries: `said` with its key and its bytes.
// Threads  any; words are accessed atomically.
#pragma once

#include <cstdint>

namespace tess::detail::spawned_job {

inline constexpr std::uint64_t magic = 0x31304e5741505354;  // "TSPAWN01"
inline constexpr std::uint32_t processes_max = 65535;

struct header {
  std::uint64_t magic;
  std::uint64_t used;  ///< bytes behind the records
  std::uint32_t processes;
  std::uint32_t met;       ///< how often all have met; processes wait on it by futex
  std::uint32_t arrived;   ///< at the next meeting
  std::uint32_t ended;     ///< processes
  std::uint32_t reported;  ///< somebody said why the job did not begin
  std::uint32_t apart;     ///< processes that could not use the file below, in any round
  std::uint64_t segments;  ///< where the file of all segments is: segments_file
  std::uint8_t unused[16];
};
static_assert(sizeof(header) == 64);

/// A file that one process made for all, as /proc/<process>/fd/<file>.
struct segments_file {
  std::uint32_t round;  ///< which job of the processes, from 1
  std::uint32_t process;
  std::uint32_t file;

  static constexpr unsigned process_bits = 22;  ///< the system's largest process number has so many
  static constexpr unsigned file_bits = 20;
  static constexpr std::uint32_t rounds = 1U << (64 - process_bits - file_bits);

  [[nodiscard]] constexpr std::uint64_t word() const noexcept {
    return std::uint64_t{round % rounds} << (process_bits + file_bits) | std::uint64_t{process} << file_bits | file;
  }
  [[nodiscard]] static constexpr segments_file of(std::uint64_t word) noexcept {
    return {static_cast<std::uint32_t>(word >> (process_bits + file_bits)),
            static_cast<std::uint32_t>(word >> file_bits) % (1U << process_bits),
            static_cast<std::uint32_t>(word) % (1U << file_bits)};
  }
};

struct record {
  std::uint64_t said;         ///< offset of the last entry; 0: none
  std::uint32_t arrived_for;  ///< the value of `met` that its last arrival helps to reach
  std::uint32_t ended;
};

struct said {
  std::uint64_t before;  ///< offset of the entry before it of the same process; 0: none
  std::uint32_t key_bytes;
  std::uint32_t bytes;
};

[[nodiscard]] constexpr std::uint64_t front_bytes(std::uint32_t processes) noexcept {
  return sizeof(header) + sizeof(record) * std::uint64_t{processes};
}

}  // namespace tess::detail::spawned_job
