// placement: assigns threads to processors, and the memory of segments to NUMA nodes.
//
// Errors   tess::error for lists that cannot be read, processors that this program may not use, and unknown policies.
#pragma once

#include <sched.h>

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tess::detail {

/// The processors that this thread may use.
[[nodiscard]] std::vector<int> processors();

/// Numbers and ranges as Linux writes them: 0,2-5. Empty if it cannot be read.
[[nodiscard]] std::vector<int> read_number_list(std::string_view text);

/// A processor for each of `threads` threads, or none. `pin` as in settings.
[[nodiscard]] std::vector<std::optional<int>> plan_pins(std::string const& pin, unsigned threads,
                                                        std::vector<int> const& usable);

/// Keeps the calling thread on one processor while it lives. Without a processor it does nothing.
class pinned {
 public:
  explicit pinned(std::optional<int> cpu);
  ~pinned();
  pinned(pinned const&) = delete;
  pinned& operator=(pinned const&) = delete;

 private:
  bool active_;
  cpu_set_t before_;
};

enum class numa_policy { none, local, interleave };
[[nodiscard]] numa_policy read_numa_policy(std::string const& text);

/// The memory nodes of this machine that have memory, and the one that is next to a processor.
[[nodiscard]] std::vector<int> memory_nodes();
[[nodiscard]] std::optional<int> node_of_processor(int cpu);

/// Sets where pages that are touched from now on are allocated: interleaved over `nodes`, or on the first of them.
/// False: the system refuses, as containers often do, and uses its own policy.
bool place_pages(std::span<std::byte> memory, numa_policy policy, std::span<int const> nodes) noexcept;

/// The same for a segment whose first worker runs on `cpu`, if the machine has several nodes. `local` without a
/// processor leaves the choice to the system, which allocates pages near the thread that touches them first.
void place_segment_pages(std::span<std::byte> memory, numa_policy policy, std::optional<int> cpu) noexcept;

}  // namespace tess::detail
