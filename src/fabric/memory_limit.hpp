// memory_limit: how much memory this process may use, and which limit says so.
//
//   The smallest of the machine's memory, the memory limits of its control groups (version 1 and 2, each group up to
//   the root), `ulimit -d` and `ulimit -v`.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

namespace tess::detail {

struct memory_limit {
  std::uint64_t bytes = 0;
  std::string name;  ///< as in "3 bytes are left of <name>"
};

/// What this process shares with all others of the machine, or of its control group.
[[nodiscard]] memory_limit const& shared_memory_limit();
/// The limit of this process, now.
[[nodiscard]] memory_limit process_memory_limit();

/// The bytes that this machine could give to programs now without swapping, by a file such as /proc/meminfo; UINT64_MAX
/// if that does not say.
[[nodiscard]] std::uint64_t available_memory(std::filesystem::path const& told = "/proc/meminfo");

/// The smaller of `limit` and what control groups allow. `groups`: the file that names the process's groups, one a
/// line; `mounted`: where their trees are.
[[nodiscard]] memory_limit with_control_groups(memory_limit limit, std::filesystem::path const& groups,
                                               std::filesystem::path const& mounted);

}  // namespace tess::detail
