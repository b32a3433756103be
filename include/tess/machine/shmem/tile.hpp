// tile: PEs on tiles of the simulated machine, one copy of the program each: start, end, and meeting.
//
//   The program's image begins at the same address in every tile, and so does what the first large allocation of each
//   copy gives: an address of this PE is one of all. Words travel as
//   machine/shmem/instructions.hpp or messages.hpp say. The barrier is by dissemination: in round k each PE signals the
//   one 2^k after it and waits for the one 2^k before it.
//
// Threads   one hart of each tile.
// Source    Hensgen, Finkel, Manber: Two algorithms for barrier synchronization (IJPP 1988).
#pragma once

#include <cstdlib>
#include <cstring>

#if defined(TESS_SHMEM_MESSAGES)
#include <tess/machine/shmem/messages.hpp>
#else
#include <tess/machine/shmem/instructions.hpp>
#endif

// A place on every tile: a note (SHT_NOTE) of name "Tessera" and type 2, as the runtime's programs have it.
asm(".pushsection .note.tessera, \"a\", @note\n"
    ".p2align 2\n"
    ".4byte 8, 0, 2\n"
    ".asciz \"Tessera\"\n"
    ".popsection\n");

namespace tess::detail::shmem {

template <word_op Op, class T>
T apply(T const* address, std::type_identity_t<T> operand, std::type_identity_t<T> expected, int pe) {
  using bits = bits_of<T>;
  auto* const word = const_cast<bits*>(reinterpret_cast<bits const*>(address));
  return static_cast<T>(at_pe<Op>(word, static_cast<bits>(operand), static_cast<bits>(expected), pe));
}

inline void barrier() {
  ++own.episode;
  for (int round = 0; 1 << round < own.pes; ++round) {
    tell((own.pe + (1 << round)) % own.pes, round);
    wait_until_told(round, own.episode);
  }
}

inline void find_pes() {
  namespace info = registers::information;
  own.pe = static_cast<int>(information(info::program));
  own.pes = static_cast<int>(information(info::programs));
  own.tiles = static_cast<std::uint32_t*>(std::malloc(sizeof(std::uint32_t) * static_cast<std::size_t>(own.pes)));
  if (own.tiles == nullptr) fail("shmem_init", "no memory", "a smaller program");
  std::uint64_t const tiles = information(info::width) * information(info::height);
  for (std::uint64_t tile = 0; tile < tiles; ++tile) {
    std::uint64_t const program = information(info::table + tile * info::row_bytes + info::row_program);
    if (program != 0) own.tiles[program - 1] = static_cast<std::uint32_t>(tile);
  }
  std::uint64_t const window = registers::window_bytes * information(info::hart);
  own.invoke_window = unit_address(registers::unit::invoke) + window;
  own.tasks_window = unit_address(registers::unit::tasks) + window;
}

inline void make_heap() {
  own.heap_bytes = symmetric_bytes();
  if (own.heap_bytes == 0)
    fail("shmem_init", "SHMEM_SYMMETRIC_SIZE is no size", "a number of bytes, with K, M or G behind it");
  own.heap = static_cast<std::byte*>(std::aligned_alloc(4096, own.heap_bytes));
  if (own.heap == nullptr)
    fail("shmem_init", "SHMEM_SYMMETRIC_SIZE is more than the tile has", "less (--env SHMEM_SYMMETRIC_SIZE=1M)");
  open_heap(own);
}

/// By a word at PE 0's flat address, so without look-aside buffers and without messages.
inline void meet_at_start() {
  namespace info = registers::information;
  static constinit std::uint64_t started = 0;
  std::uint64_t const row = info::table + own.tiles[0] * info::row_bytes;
  auto const word = information(row + info::row_tlm) + reinterpret_cast<std::uint64_t>(&started);
  std::uint64_t one = 1;
  asm volatile("amoadd.d.aqrl zero, %0, (%1)" : : "r"(one), "r"(word) : "memory");
  while (device(word) < static_cast<std::uint64_t>(own.pes)) {
  }
}

inline void begin() {
  char const* const timing = std::getenv("TESS_TIMING");
  if (timing == nullptr || std::strcmp(timing, "on") != 0)
    fail("shmem_init", "there are no tiles", "a machine with time: tess run --machine nemesys-2x2 PROGRAM");
  find_pes();
  make_heap();
  open_transport();
  meet_at_start();
  auto const first =
      reinterpret_cast<std::uint64_t>(apply<word_op::get>(reinterpret_cast<std::uint64_t const*>(&own.heap), 0, 0, 0));
  if (first != reinterpret_cast<std::uint64_t>(own.heap))
    fail("shmem_init", "the heap lies elsewhere than at PE 0", "shmem_init before anything that differs among PEs");
  barrier();
}

inline void end() {
  barrier();
  close_transport();
}

}  // namespace tess::detail::shmem
