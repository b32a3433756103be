// find_unit: how a program finds the registers of a unit of one's own, by the unit's name in the machine file.
//
//     volatile uint64_t* unit = tess_find_unit("checksum");  // of the own tile; null: it has none
//     volatile uint64_t* window = tess_unit_window(unit);    // this hart's, if the unit has command windows
//
// For any RV64 program in C or C++, with the runtime or without. Registers are words of 64 bits.
//
// Units     bytes; numbers of tiles are y x width + x.
// Threads   any.
// Cost      tess_find_unit loads a few registers for each unit of the machine: call it once.
// Source    docs/machine/units.md.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include <tess/machine/needs_time.hpp>

/// The registers of a tile's information unit are the first of its devices (registers.hpp).
#define TESS_OWN_DEVICES ((UINT64_C(1) << 40U) - (UINT64_C(1) << 24U))

static inline uint64_t volatile* tess_register(uint64_t address) {
  return (uint64_t volatile*)(uintptr_t)address;  // NOLINT
}
/// A field of the own tile's row, or of another's, in the table of tiles.
static inline uint64_t tess_tile_row(uint64_t tile, uint64_t field) {
  return *tess_register(TESS_OWN_DEVICES + 4096 + tile * 64 + field);
}
static inline uint64_t tess_own_tile(void) {
  return *tess_register(TESS_OWN_DEVICES);
}
/// The tile whose memory has the partition of a tile.
static inline uint64_t tess_memory_tile(uint64_t tile) {
  return tess_tile_row(tile, 40);
}

/// Which unit of a tile's units it is; 0: the machine has no unit of this name.
static inline uint64_t tess_unit_number(char const* name) {
  for (uint64_t row = TESS_OWN_DEVICES + 6 * UINT64_C(65536); *tess_register(row + 56) != 0; row += 64) {
    size_t at = 0;
    int same = 1;
    for (; same && at < 56; ++at) {
      char const letter = (char)(*tess_register(row + at / 8 * 8) >> at % 8 * 8 & 255U);
      same = letter == name[at];
      if (letter == 0) break;
    }
    if (same) return *tess_register(row + 56);
  }
  return 0;
}
/// The unit's registers in another tile, or in this one; null: that tile does not have it.
static inline uint64_t volatile* tess_find_unit_in(char const* name, uint64_t tile) {
  uint64_t const number = tess_unit_number(name);
  uint64_t const devices = tile == tess_own_tile() ? TESS_OWN_DEVICES : tess_tile_row(tile, 32);
  if (number == 0 || (*tess_register(devices + 2064) >> number & 1U) == 0) return (uint64_t volatile*)0;  // NOLINT
  return tess_register(devices + (number << 19U));
}
static inline uint64_t volatile* tess_find_unit(char const* name) {
  return tess_find_unit_in(name, tess_own_tile());
}

/// The command window that is this hart's, or in another tile this tile's: seven fields, then the doorbell.
static inline uint64_t volatile* tess_unit_window(uint64_t volatile* unit) {
  int const own = (uint64_t)(uintptr_t)unit - TESS_OWN_DEVICES < UINT64_C(1) << 24U;
  return unit + 8 * (own ? *tess_register(TESS_OWN_DEVICES + 8) : 64 + tess_own_tile());
}

/// Orders what this hart has written before what it tells a unit, and what the unit has written before what follows.
static inline void tess_unit_fence(void) {
#ifdef __riscv
  __asm__ volatile("fence iorw, iorw" ::: "memory");
#endif
}

/// Loads a register as a whole. Where a load of uint64_t volatile is cast to a smaller type, compilers may load less,
/// and that traps.
static inline uint64_t tess_unit_load(uint64_t const volatile* at) {
#ifdef __riscv
  uint64_t value = 0;
  __asm__ volatile("ld %0, 0(%1)" : "=r"(value) : "r"(at) : "memory");
  return value;
#else
  return *at;
#endif
}

/// Rings the doorbell of a window whose fields are set, and waits for the command's end: 0, or 3 if it was wrong.
static inline uint64_t tess_unit_command(uint64_t volatile* window) {
  tess_unit_fence();
  uint64_t state = 2;
  while (state == 2) {  // full: ring again
    window[7] = 1;
    state = window[7];
  }
  while (state == 1) state = window[7];
  tess_unit_fence();
  return state;
}

/// The address by which other tiles know a byte of this tile's local window.
static inline uint64_t tess_global_address(void const volatile* byte) {
  uint64_t const address = (uint64_t)(uintptr_t)byte;
  uint64_t const tile = tess_own_tile();
  if (address >= UINT64_C(1) << 40U) return address;
  if (address >= *tess_register(TESS_OWN_DEVICES + 2104) && address < *tess_register(TESS_OWN_DEVICES + 2112))
    return tess_tile_row(tile, 0) + address;
  return tess_tile_row(tile, 8) + tess_tile_row(tile, 16) + (address - *tess_register(TESS_OWN_DEVICES + 2120));
}

/// An operation of the tile's unit for ranges, to its end. A range that no cache has, as in a tile-local memory, needs
/// none.
static inline void tess_unit_range(uint64_t operation, void const volatile* begin, uint64_t bytes) {
  uint64_t volatile counter[4] = {1, 0, 0, 0};
  uint64_t volatile* const window =
      tess_register(TESS_OWN_DEVICES + (UINT64_C(1) << 19U) + 64 * *tess_register(TESS_OWN_DEVICES + 8));
  window[0] = operation;
  window[1] = (uint64_t)(uintptr_t)begin;
  window[2] = bytes;
  window[3] = (uint64_t)(uintptr_t)counter;
  window[4] = 0;
  tess_unit_fence();
  do window[7] = 1;
  while (window[7] == 2);
  while (window[7] != 3 && counter[0] != 0) continue;
  tess_unit_fence();
}
/// Before a unit reads a memory beside the caches: memory has what this tile wrote in the range.
static inline void tess_write_back(void const volatile* begin, uint64_t bytes) {
  tess_unit_range(1, begin, bytes);
}
/// After a unit has written a memory beside the caches: this tile's caches have nothing old of the range.
static inline void tess_invalidate(void const volatile* begin, uint64_t bytes) {
  tess_unit_range(2, begin, bytes);
}
