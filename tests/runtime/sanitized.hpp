// sanitized: whether this build is slowed down by a sanitizer or an emulator, for tests that are sized by what they
// wait for.
#pragma once

namespace tess::test {

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define TESS_TEST_IS_SANITIZED 1
#endif
#endif
#ifdef TESS_TEST_IS_SANITIZED
inline constexpr bool is_sanitized = true;
#else
inline constexpr bool is_sanitized = false;
#endif

/// Tests of RV64 builds run under qemu.
#if defined(__riscv)
inline constexpr bool is_emulated = true;
#else
inline constexpr bool is_emulated = false;
#endif

}  // namespace tess::test
