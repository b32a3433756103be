// measured: what kernels in OpenSHMEM tell the simulated machine, and ask it; natively both do nothing.
#pragma once

#include <cstdint>
#if defined(__riscv)
#include <tess/machine/registers.hpp>
#endif

namespace measured {

/// Marks the measured part for the machine's statistics.
inline void mark([[maybe_unused]] bool begins) {
#if defined(__riscv)
  namespace registers = tess::machine::registers;
  static_assert(registers::unit::information == registers::unit{0});
  std::uint64_t const at = registers::own_devices + registers::information::measured;
  asm volatile("sd %0, 0(%1)" ::"r"(std::uint64_t{begins}), "r"(at) : "memory");
#endif
}

/// Instructions of this PE since its start; natively 0.
inline std::uint64_t instructions() {
  std::uint64_t count = 0;
#if defined(__riscv)
  asm volatile("csrr %0, instret" : "=r"(count)::"memory");
#endif
  return count;
}

}  // namespace measured
