// shadow: who used which bytes last, and the clocks of words by which PEs order themselves.
//
//   A cell for 8 bytes of a PE's memory has the accesses that nothing later covers, at most seven. Cells are found by
//   hashing; neighbours lie beside each other.
//
// Threads   whoever holds `locked`.
#pragma once

#include <cstddef>
#include <cstdint>

#include "shmem/checking/area.hpp"

namespace tess::shmem::checking {

/// Bytes of a PE's heap or statics.
struct location {
  int pe = 0;
  bool in_heap = false;
  std::uint64_t offset = 0;
};
/// False: the address is not symmetric, as that of a stack.
[[nodiscard]] bool locate(void const* at, std::size_t bytes, int pe, location& found);

struct entry {
  number epoch;
  std::uint16_t pe;
  std::uint16_t site;
  std::uint8_t mask;  ///< which of the 8 bytes; 0: no entry
  use how;
  bool is_pending;
  bool is_borrowed;
};
struct cell {
  std::uint64_t key;    ///< 0: no cell
  std::uint32_t clock;  ///< plus 1; 0: none
  std::uint32_t turn;
  entry entries[7];
};
static_assert(sizeof(entry) == 16 && sizeof(cell) == 128);

/// That of the 8 bytes around; makes it if `makes`, else null if there is none.
cell* cell_of(location const& l, bool makes);
/// The bytes of one cell that begin at the location: as many as there are, at most `bytes`.
std::size_t bytes_in_cell(location const& l, std::size_t bytes, std::uint8_t& mask);

/// This PE's access; what it covers is dropped.
void keep(cell& c, entry const& now);
/// The entry's access happened before what this PE does now.
[[nodiscard]] bool is_before(entry const& e, int memory_of);
/// This PE's own, of a call with _nbi that no quiet has completed.
[[nodiscard]] bool is_lent(entry const& e);
[[nodiscard]] bool conflict(use a, use b);

/// This PE learns what those knew who wrote the word: by atomics and, if it has waited for them, by puts.
void acquire(location const& l, std::size_t bytes, bool has_waited);
/// What the present snapshot says goes with the word.
void release(location const& l);

}  // namespace tess::shmem::checking
