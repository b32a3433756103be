// tiles: what programs for tiles without the runtime need: registers of their own tile, who runs where, and a barrier.
//
// Source    the information unit: include/tess/machine/registers.hpp.
#pragma once

#include <cstdint>
#include <tess/machine/registers.hpp>
#include <tess/machine/xbgas.hpp>

namespace tiles {

namespace registers = tess::machine::registers;
namespace info = registers::information;
namespace xbgas = tess::machine::xbgas;
using word = std::uint64_t;

inline word volatile& own_register(word offset) {
  return *reinterpret_cast<word volatile*>(registers::own_devices + offset);
}

/// The tile that runs this copy of the program.
inline word tile_of(word program) {
  word number = 0;
  while (own_register(info::table + number * info::row_bytes + info::row_program) != program + 1) ++number;
  return number;
}

/// The begin of a place's partition: a global address.
inline word* words_of(word place) {
  word const row = info::table + tile_of(place) * info::row_bytes;
  return reinterpret_cast<word*>(own_register(row + info::row_partition));
}

/// A barrier of all places: an object at the same local address in each of them. It is at place 0, which leaves first;
/// a waiting place sleeps until its own word is written. Objects 1 to places must be in the look-aside buffer.
struct barrier {
  alignas(64) word arrived = 0;
  alignas(64) word begun_round = 0;

  /// Rounds count from 1. The last place that comes calls `at_last` before the others go on.
  template <class AtLast>
  void meet(word round, AtLast&& at_last) {
    word const all = own_register(info::programs);
    if (xbgas::fetch_add(1, &arrived, 1) + 1 == round * all) {
      at_last();
      for (word place = 1; place <= all; ++place) xbgas::put(place, &begun_round, round);
    }
    word value = 0;
    do {
      asm volatile("lr.d %0, (%1)\n bgeu %0, %2, 1f\n .insn 4, 0x00d00073\n 1:"
                   : "=&r"(value)
                   : "r"(&begun_round), "r"(round)
                   : "memory");
    } while (value < round);
  }
};

}  // namespace tiles
