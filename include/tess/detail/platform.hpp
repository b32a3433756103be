// platform: the few things that differ between processors and kinds of code: cache line, pause, prefetch.
#pragma once

#include <cstddef>

// Code that may lie anywhere (-fPIC) is taken for part of a shared object; that of a program is compiled with -fPIE or
// neither.
#if defined(__PIC__) && !defined(__PIE__)
#define TESS_IN_SHARED_OBJECT 1
#ifndef TESS_SHARED
#error "tess: code of a shared object (-fPIC): build it by `tess c++ --shared` or link tessera::shared; else take -fPIE"
#endif
#else
#define TESS_IN_SHARED_OBJECT 0
#endif

namespace tess::detail {

inline constexpr std::size_t cache_line = 64;

/// Tells the processor that this is a spin loop.
inline void spin_pause() noexcept {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__riscv)
  // Zihintpause, encoded as a fence: a no-op where it is not implemented.
  asm volatile(".insn i 0x0F, 0, x0, x0, 0x010");
#endif
}

inline void prefetch_read(void const* address) noexcept {
  __builtin_prefetch(address, 0);
}
inline void prefetch_write(void const* address) noexcept {
  __builtin_prefetch(address, 1);
}

}  // namespace tess::detail
