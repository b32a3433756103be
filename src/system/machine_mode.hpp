// machine_mode: registers of machine mode, and device registers of the tile, for code that runs in that mode.
//
// Source    RISC-V Privileged Architecture 20211203; registers.hpp.
#pragma once

#include <cstdint>
#include <tess/machine/registers.hpp>

#define TESS_CSR(name)                                            \
  struct name {                                                   \
    static std::uint64_t read() {                                 \
      std::uint64_t value;                                        \
      asm volatile("csrr %0, " #name : "=r"(value)::"memory");    \
      return value;                                               \
    }                                                             \
    static void write(std::uint64_t value) {                      \
      asm volatile("csrw " #name ", %0" ::"r"(value) : "memory"); \
    }                                                             \
    static void set(std::uint64_t bits) {                         \
      asm volatile("csrs " #name ", %0" ::"r"(bits) : "memory");  \
    }                                                             \
    static void clear(std::uint64_t bits) {                       \
      asm volatile("csrc " #name ", %0" ::"r"(bits) : "memory");  \
    }                                                             \
  }

namespace tess::system {

namespace registers = machine::registers;

namespace csr {
TESS_CSR(mstatus);
TESS_CSR(misa);
TESS_CSR(mie);
TESS_CSR(mip);
TESS_CSR(mtvec);
TESS_CSR(mscratch);
TESS_CSR(mepc);
TESS_CSR(mcause);
TESS_CSR(mtval);
TESS_CSR(mhartid);
TESS_CSR(mcounteren);
TESS_CSR(mcycle);
TESS_CSR(minstret);
}  // namespace csr

inline constexpr std::uint64_t status_mie = 1U << 3U;
inline constexpr std::uint64_t status_mpie = 1U << 7U;
inline constexpr std::uint64_t status_mpp = 3U << 11U;
inline constexpr std::uint64_t cause_interrupt = std::uint64_t{1} << 63U;
inline constexpr std::uint64_t cause_software = 3;
inline constexpr std::uint64_t cause_timer = 7;
inline constexpr std::uint64_t cause_external = 11;

inline std::uint64_t volatile& word(std::uint64_t address) {
  return *reinterpret_cast<std::uint64_t volatile*>(address);
}
constexpr std::uint64_t unit_address(registers::unit of) {
  return registers::own_devices + registers::unit_bytes * static_cast<std::uint64_t>(of);
}
/// The window of a hart at a unit.
constexpr std::uint64_t window(registers::unit of, std::uint64_t hart) {
  return unit_address(of) + registers::window_bytes * hart;
}
inline void fence() {
  asm volatile("fence rw, rw" ::: "memory");
}
inline void wait_for_interrupt() {
  asm volatile("wfi" ::: "memory");
}

}  // namespace tess::system
