// platform: the few things that differ between processors: cache line, pause, prefetch.
#pragma once

#include <cstddef>

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
