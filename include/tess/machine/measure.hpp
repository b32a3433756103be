// measure: regions of a program by name, whose cycles a simulated machine counts.
//
//   For any program for RV64, whatever made it; the header needs registers.hpp and nothing else. A begin is the
//   instruction `slti zero, rN, 1504` with the name's address in rN, an end is `slti zero, zero, 1505`: they change no
//   register, take a cycle each, and do nothing on other computers and under QEMU. Regions nest, in the order of each
//   thread.
//
// Units     the machine's statistics: cycles of the tile's clock.
// Threads   each has its own regions.
// Errors    none: an end without a begin is ignored; what is open when a thread ends, ends with it.
#pragma once

#include <tess/machine/registers.hpp>

namespace tess::machine {

/// Begins a region. The name is read at once, up to 64 characters, and should be a constant.
inline void begin_region([[maybe_unused]] char const* name) noexcept {
#if defined(__riscv) && __riscv_xlen == 64
  __asm__ volatile("slti zero, %0, %1" : : "r"(name), "i"(registers::region_mark::begins) : "memory");
#endif
}

/// Ends the region that this thread began last.
inline void end_region() noexcept {
#if defined(__riscv) && __riscv_xlen == 64
  __asm__ volatile("slti zero, zero, %0" : : "i"(registers::region_mark::ends) : "memory");
#endif
}

/// A region as long as the object lives: `tess::machine::region const r("copy");`
class region {
 public:
  /// Begins it.
  explicit region(char const* name) noexcept { begin_region(name); }
  region(region const&) = delete;
  region& operator=(region const&) = delete;
  /// Ends it.
  ~region() { end_region(); }
};

}  // namespace tess::machine
