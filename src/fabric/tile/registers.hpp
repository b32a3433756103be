// registers: loads and stores of the device registers of this tile, and commands of its units.
//
//   Each hart has a window. The window of the system hart, whose number follows those of the others, is the fabric's.
//
// Threads  each hart its own window; the system hart's: one at a time.
#pragma once

#include <cstdint>

#include "tess/machine/registers.hpp"

namespace tess::detail::tile_registers {

namespace registers = machine::registers;
namespace information = registers::information;

// Registers must be accessed as whole words; the compiler may load only half of a volatile word.
[[nodiscard]] inline std::uint64_t load(std::uint64_t address) noexcept {
  std::uint64_t value;
  asm volatile("ld %0, 0(%1)" : "=r"(value) : "r"(address) : "memory");
  return value;
}
inline void store(std::uint64_t address, std::uint64_t value) noexcept {
  asm volatile("sd %0, 0(%1)" : : "r"(value), "r"(address) : "memory");
}
[[nodiscard]] inline std::uint64_t unit(registers::unit of) noexcept {
  return registers::own_devices + registers::unit_bytes * static_cast<std::uint64_t>(of);
}
[[nodiscard]] inline std::uint64_t information_field(std::uint64_t field) noexcept {
  return load(unit(registers::unit::information) + field);
}
[[nodiscard]] inline bool has_unit(registers::unit which) noexcept {
  return (information_field(information::units) >> static_cast<unsigned>(which) & 1U) != 0;
}
/// A field of a tile's row of the table.
[[nodiscard]] inline std::uint64_t row(std::uint64_t tile, std::uint64_t field) noexcept {
  return information_field(information::table + tile * information::row_bytes + field);
}
/// The window of the calling hart.
[[nodiscard]] inline std::uint64_t own_window(registers::unit of) noexcept {
  return unit(of) + registers::window_bytes * information_field(information::hart);
}
[[nodiscard]] inline std::uint64_t system_window(registers::unit of) noexcept {
  return unit(of) + registers::window_bytes * information_field(information::harts);
}

/// The window's command has not ended yet.
[[nodiscard]] inline bool is_busy(std::uint64_t window) noexcept {
  return load(window + registers::invoke::doorbell) == static_cast<std::uint64_t>(registers::command_status::accepted);
}
/// Starts the command whose fields are stored, after all earlier stores to memory.
inline void ring(std::uint64_t window) noexcept {
  asm volatile("fence rw, rw" ::: "memory");
  store(window + registers::invoke::doorbell, 1);
}
static_assert(registers::invoke::doorbell == registers::adapter::doorbell &&
              registers::invoke::doorbell == registers::ranges::doorbell);
static_assert(static_cast<std::uint64_t>(registers::command_status::accepted) == registers::ranges::accepted);

}  // namespace tess::detail::tile_registers
