// sanitized: whether this build is slowed down by a sanitizer or an emulator, for tests that are sized by what they
// wait for.
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
