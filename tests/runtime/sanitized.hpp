// sanitized: whether this build is slowed down by a sanitizer, for tests that are sized by what they wait for.
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

}  // namespace tess::test
