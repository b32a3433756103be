// platform: what differs between processors and kinds of code: cache line, pause, prefetch.
#pragma once

#include <cstddef>

#include "tess/detail/compiler.hpp"

// Position-independent code (-fPIC) is assumed to belong to a shared object of a program; a program is compiled with
// -fPIE or neither, and an extension module that has the runtime inside counts as one.
#if defined(__PIC__) && !defined(__PIE__) && !defined(TESS_RUNTIME_INSIDE)
#define TESS_IN_SHARED_OBJECT 1
#ifndef TESS_SHARED
#error "tess: code of a shared object (-fPIC): build it by `tess c++ --shared` or link tessera::shared; else take -fPIE"
#endif
#else
#define TESS_IN_SHARED_OBJECT 0
#endif

/// Before a loop of few iterations: unrolls it completely.
#if defined(__clang__)
#define TESS_UNROLL _Pragma("clang loop unroll(full)")
#else
#define TESS_UNROLL
#endif

namespace tess::detail {

inline constexpr std::size_t cache_line = 64;

/// Tells the processor that this is a spin loop.
inline void spin_pause() noexcept {
#if defined(__x86_64__) && (defined(__clang__) || defined(__GNUC__))
  __builtin_ia32_pause();
#elif defined(__riscv) && (defined(__clang__) || defined(__GNUC__))
  // Zihintpause, encoded as a fence: a no-op where it is not implemented.
  asm volatile(".insn i 0x0F, 0, x0, x0, 0x010");
#endif
}

inline void prefetch_read(void const* address) noexcept {
#if defined(__clang__) || defined(__GNUC__)
  __builtin_prefetch(address, 0);
#else
  static_cast<void>(address);
#endif
}
/// The line is to be this core's alone.
inline void prefetch_write(void const* address) noexcept {
#if defined(__x86_64__)
  // The compiler's own prefetch may be one for reading: baseline processors need not have this instruction, which they
  // ignore then.
  asm volatile("prefetchw %0" : : "m"(*static_cast<char const*>(address)));
#elif defined(__clang__) || defined(__GNUC__)
  __builtin_prefetch(address, 1);
#else
  static_cast<void>(address);
#endif
}

}  // namespace tess::detail
