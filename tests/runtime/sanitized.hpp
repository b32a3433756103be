// sanitized: whether a sanitizer or an emulator slows this build down, for tests whose size depends on the time.
#pragma once

namespace tess::test {

inline constexpr bool is_thread_sanitized = __has_feature(thread_sanitizer) != 0;
inline constexpr bool is_sanitized = is_thread_sanitized || __has_feature(address_sanitizer) != 0;

/// Tests of RV64 builds run under qemu.
#if defined(__riscv)
inline constexpr bool is_emulated = true;
#else
inline constexpr bool is_emulated = false;
#endif

}  // namespace tess::test
