// registers: loads and stores of the device registers of this tile, and commands of its units.
//
//   A window is a hart's; that of the system hart, whose number is behind those of the others, is the fabric's own.
//
// Threads  each hart its own window; the system hart's: one at a time.
#pragma once

#include <cstdint>

#include "tess/machine/registers.hpp"

namespace tess::detail::tile_registers {

namespace registers = machine::registers;
namespace information = registers::information;

// Registers are loaded and stored whole; of a volatile word the compiler would load the half that is needed.
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
[[nodiscard]] inline std::uint64_t inform(std::uint64_t field) noexcept {
  return load(unit(registers::unit::information) + field);
}
[[nodiscard]] inline bool has_unit(registers::unit which) noexcept {
  return (inform(information::units) >> static_cast<unsigned>(which) & 1U) != 0;
}
/// A field of a tile's row of the table.
[[nodiscard]] inline std::uint64_t row(std::uint64_t tile, std::uint64_t field) noexcept {
  return inform(information::table + tile * information::row_bytes + field);
}
/// The window of the hart that asks.
[[nodiscard]] inline std::uint64_t own_window(registers::unit of) noexcept {
  return unit(of) + registers::window_bytes * inform(information::hart);
}
[[nodiscard]] inline std::uint64_t system_window(registers::unit of) noexcept {
  return unit(of) + registers::window_bytes * inform(information::harts);
}

/// The window's command has not ended yet.
[[nodiscard]] inline bool is_busy(std::uint64_t window) noexcept {
  return load(window + registers::invoke::doorbell) == static_cast<std::uint64_t>(registers::command_status::accepted);
}
/// Begins the command whose fields are stored: what was stored to memory before goes before it.
inline void ring(std::uint64_t window) noexcept {
  asm volatile("fence rw, rw" ::: "memory");
  store(window + registers::invoke::doorbell, 1);
}
static_assert(registers::invoke::doorbell == registers::adapter::doorbell &&
              registers::invoke::doorbell == registers::ranges::doorbell);
static_assert(static_cast<std::uint64_t>(registers::command_status::accepted) == registers::ranges::accepted);

}  // namespace tess::detail::tile_registers
