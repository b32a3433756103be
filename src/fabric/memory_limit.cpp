// memory_limit: /proc/self/cgroup says which groups; their limits are files of one number.
#include "fabric/memory_limit.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <fstream>
#include <string_view>

namespace tess::detail {

namespace {

namespace fs = std::filesystem;

void lower(memory_limit& limit, std::uint64_t bytes, std::string name) {
  if (bytes < limit.bytes) limit = {bytes, std::move(name)};
}

void lower_by_rlimit(memory_limit& limit, int resource, char const* name) {
  rlimit r{};
  if (getrlimit(static_cast<__rlimit_resource>(resource), &r) == 0 && r.rlim_cur != RLIM_INFINITY)
    lower(limit, r.rlim_cur, name);
}

/// A group and those around it: each has a limit of its own. `group`: its path from the root of the tree.
void lower_by_group(memory_limit& limit, fs::path const& tree, fs::path group, char const* file) {
  for (;; group = group.parent_path()) {
    // A process in a container may see its group's path from outside: folders that are not there are passed over.
    std::ifstream stream(tree / group.relative_path() / file);
    // "max" is no number, and no limit.
    if (std::uint64_t bytes; stream >> bytes)
      lower(limit, bytes, "the memory limit of control group " + group.string());
    if (!group.has_relative_path()) return;
  }
}

}  // namespace

memory_limit with_control_groups(memory_limit limit, fs::path const& groups, fs::path const& mounted) {
  std::ifstream stream(groups);
  // number:controllers:path; version 2 has number 0 and no controllers.
  for (std::string line; std::getline(stream, line);) {
    auto const first = line.find(':');
    auto const second = first == std::string::npos ? first : line.find(':', first + 1);
    if (second == std::string::npos) continue;
    std::string const controllers = "," + line.substr(first + 1, second - first - 1) + ",";
    fs::path const group = line.substr(second + 1);
    if (!group.has_root_directory()) continue;
    if (controllers == ",,") {
      lower_by_group(limit, mounted, group, "memory.max");
      lower_by_group(limit, mounted / "unified", group, "memory.max");
    } else if (controllers.find(",memory,") != std::string::npos) {
      lower_by_group(limit, mounted / "memory", group, "memory.limit_in_bytes");
    }
  }
  return limit;
}

std::uint64_t available_memory(fs::path const& told) {
#if defined(__riscv)
  // An emulator or a simulated machine would tell of its host.
  static_cast<void>(told);
#else
  std::ifstream stream(told);
  for (std::string word; stream >> word;)
    if (std::uint64_t kibibytes; word == "MemAvailable:" && stream >> kibibytes) return kibibytes << 10;
#endif
  return UINT64_MAX;
}

memory_limit const& shared_memory_limit() {
  // The machine and its groups are asked once: every segment asks.
  static memory_limit const machine = with_control_groups(
      {static_cast<std::uint64_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE)),
       "the machine's memory"},
      "/proc/self/cgroup", "/sys/fs/cgroup");
  return machine;
}

memory_limit process_memory_limit() {
  memory_limit limit = shared_memory_limit();
  lower_by_rlimit(limit, RLIMIT_DATA, "`ulimit -d`");
  lower_by_rlimit(limit, RLIMIT_AS, "`ulimit -v`");
  return limit;
}

}  // namespace tess::detail
