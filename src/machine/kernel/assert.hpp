// assert: invariants of the simulator itself; MACHINE_ASSERT in every build, MACHINE_DEBUG_ASSERT in checked ones.
//
//   The simulator shares no code with the runtime, so it has its own. A failed assertion is a bug of the simulator.
//   Errors in a machine file or a simulated program are reported as errors or traps instead.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <source_location>

namespace tess::machine::detail {
[[noreturn, gnu::cold, gnu::noinline]] inline void invariant_failed(char const* condition,
                                                                    std::source_location where) noexcept {
  std::fprintf(stderr, "%s:%u: machine: expected %s in %s\n", where.file_name(), static_cast<unsigned>(where.line()),
               condition, where.function_name());
  std::abort();
}
}  // namespace tess::machine::detail

#define MACHINE_ASSERT(...)       \
  (static_cast<bool>(__VA_ARGS__) \
       ? void(0)                  \
       : ::tess::machine::detail::invariant_failed(#__VA_ARGS__, std::source_location::current()))

#if defined(TESS_CHECKED) && TESS_CHECKED
#define MACHINE_DEBUG_ASSERT(...) MACHINE_ASSERT(__VA_ARGS__)
#else
#define MACHINE_DEBUG_ASSERT(...) void(0)
#endif
