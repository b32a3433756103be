// device: what a PE on a tile knows of itself, the registers of the tile, and sleep on a word.
//
// Threads   one hart of each tile.
#pragma once

#include <cstdint>
#include <tess/detail/shmem/state.hpp>
#include <tess/machine/registers.hpp>

namespace tess::detail::shmem {

namespace registers = tess::machine::registers;

constexpr int rounds_max = 12;  // of 4096 tiles

struct tile_state : state {
  std::uint32_t* tiles = nullptr;   ///< By PE.
  std::uint64_t invoke_window = 0;  ///< This hart's.
  std::uint64_t tasks_window = 0;
  std::uint64_t episode = 0;  ///< How often all have met.
};
inline constinit tile_state own{};
/// Told by others: how often, in each round.
alignas(64) inline constinit std::uint64_t told[rounds_max] = {};

[[noreturn, gnu::cold]] inline void fail(char const* where, char const* what, char const* expected) {
  fail_at(own.pe, where, what, expected);
}

// Registers are loaded and stored whole, and an offset is part of the instruction.
template <std::uint64_t Offset = 0>
std::uint64_t device(std::uint64_t address) {
  std::uint64_t value;
  asm volatile("ld %0, %2(%1)" : "=r"(value) : "r"(address), "i"(Offset) : "memory");
  return value;
}
template <std::uint64_t Offset = 0>
void set_device(std::uint64_t address, std::uint64_t value) {
  asm volatile("sd %0, %2(%1)" : : "r"(value), "r"(address), "i"(Offset) : "memory");
}
constexpr std::uint64_t unit_address(registers::unit of) {
  return registers::own_devices + registers::unit_bytes * static_cast<std::uint64_t>(of);
}
inline std::uint64_t information(std::uint64_t field) {
  return device(unit_address(registers::unit::information) + field);
}

/// The word, which from now on is watched.
inline std::uint64_t reserve(std::uint64_t const* word) {
  std::uint64_t value;
  asm volatile("lr.d %0, (%1)" : "=r"(value) : "r"(word) : "memory");
  return value;
}
/// Until the reserved word changes.
inline void sleep_reserved() {
  asm volatile(".4byte 0x00d00073" ::: "memory");  // wrs.nto
}

}  // namespace tess::detail::shmem
