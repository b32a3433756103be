// assert: invariants of Tessera itself; TESS_ASSERT in every build, TESS_DEBUG_ASSERT on hot paths of checked builds.
//
//   A failed assertion is a bug in Tessera, never in the user's input: it prints what was expected and aborts.
#pragma once

#include <source_location>

#include "tess/detail/compiler.hpp"

namespace tess::detail {
[[noreturn, gnu::cold]] void assertion_failed(char const* condition, std::source_location where) noexcept;
/// Memory ran out where no caller can handle it: prints a message and ends the process with exit code 1.
[[noreturn, gnu::cold]] void no_memory_for(char const* what) noexcept;
}  // namespace tess::detail

/// Ends the process with a message unless the condition holds, in every build.
#define TESS_ASSERT(...)                    \
  (static_cast<bool>(__VA_ARGS__) ? void(0) \
                                  : ::tess::detail::assertion_failed(#__VA_ARGS__, std::source_location::current()))

/// The same in checked builds only; elsewhere the condition is not evaluated.
#if defined(TESS_CHECKED) && TESS_CHECKED
#define TESS_DEBUG_ASSERT(...) TESS_ASSERT(__VA_ARGS__)
#else
#define TESS_DEBUG_ASSERT(...) void(0)
#endif
