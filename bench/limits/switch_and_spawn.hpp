// switch_and_spawn: minimal costs of a switch and of a task with C++20 coroutines.
//
// Units     ns per operation.
// Threads   runs on the calling thread; call under on_cpu().
#pragma once

#include <cstdint>

namespace bench {

/// One resume and one suspension of a coroutine that does nothing else, `tasks` of them resumed round robin from an
/// array.
[[nodiscard]] double bare_switch(std::uint32_t tasks, std::uint64_t switches = 20'000'000);

/// Maximum number of tasks started but not yet run in bare_spawn(), which keeps its frames in the cache.
inline constexpr std::uint32_t unstarted_tasks_max = 1024;

/// One empty task of a finish with one worker: frame from a free list, owner's push and pop of a Chase-Lev deque, run,
/// frame back, count down.
[[nodiscard]] double bare_spawn(std::uint64_t tasks);

/// The same with a private array instead of the deque.
[[nodiscard]] double bare_spawn_unshared(std::uint64_t tasks);

/// The same with the deque and an atomic count, as required if other workers run tasks of the finish.
[[nodiscard]] double bare_spawn_stealable(std::uint64_t tasks);

}  // namespace bench
