// checks: reads /proc, /sys, limits and the versions that tools print; changes nothing.
#include "cli/doctor/checks.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sched.h>
#include <sys/resource.h>
#include <sys/statvfs.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string_view>
#include <utility>

#include "cli/process/process.hpp"

namespace tess::cli {
namespace {

namespace fs = std::filesystem;

std::string first_line(fs::path const& file) {
  std::ifstream stream{file};
  std::string line;
  std::getline(stream, line);
  return line;
}

// The rest of the first line that starts with `key`, without the separator; "" if there is none.
std::string value_in(fs::path const& file, std::string_view key) {
  std::ifstream stream{file};
  for (std::string line; std::getline(stream, line);) {
    if (!line.starts_with(key)) continue;
    auto const value = line.find_first_not_of(": \t", key.size());
    return value == std::string::npos ? "" : line.substr(value);
  }
  return {};
}

double gib(double bytes) {
  return bytes / (1U << 30U);
}

// Groups of deps/packages.txt in their order: "[name]" starts one, '#' a comment.
std::vector<std::pair<std::string, std::vector<std::string>>> package_groups(fs::path const& list) {
  std::vector<std::pair<std::string, std::vector<std::string>>> groups;
  std::ifstream stream{list};
  for (std::string line; std::getline(stream, line);) {
    std::istringstream line_words{line.substr(0, line.find('#'))};
    std::string word;
    if (!(line_words >> word)) continue;
    if (word.starts_with('[')) {
      groups.emplace_back(word.substr(1, word.size() - 2), std::vector<std::string>{});
    } else if (!groups.empty()) {
      groups.back().second.push_back(word);
    }
  }
  return groups;
}

bool is_installed(std::string const& package) {
  auto const status = output_of("dpkg-query", {"-W", "-f", "${Status}", package});
  return status && status->ends_with(" installed");
}

finding check_tool(std::string const& what, std::string const& program, std::string const& package) {
  auto const version = output_of(program, {"--version"});
  if (!version) return {what, "none", "apt-get install " + package};
  return {what, version->substr(0, version->find('\n')), ""};
}

std::string limit_text(rlim_t limit) {
  if (limit == RLIM_INFINITY) return "unlimited";
  return fmt::format("{:.3g} GiB", gib(static_cast<double>(limit)));
}

rlim_t soft_limit(decltype(RLIMIT_AS) resource) {
  rlimit limit{};
  ::getrlimit(resource, &limit);
  return limit.rlim_cur;
}

finding check_perf() {
  std::string const level = first_line("/proc/sys/kernel/perf_event_paranoid");
  int number = 3;
  std::from_chars(level.data(), level.data() + level.size(), number);
  std::string hint;
  if (number > 2) hint = "sysctl kernel.perf_event_paranoid=2 lets perf count your own programs";
  return {"perf_event_paranoid", level.empty() ? "unknown" : level, hint};
}

}  // namespace

std::vector<finding> check_packages(tree const& here) {
  std::vector<finding> rows;
  if (!output_of("dpkg-query", {"--version"})) {
    return {{"packages", "unknown", "no dpkg here; required packages are listed in " + here.packages().string()}};
  }
  for (auto const& [group, packages] : package_groups(here.packages())) {
    std::vector<std::string> missing;
    std::ranges::remove_copy_if(packages, std::back_inserter(missing), is_installed);
    std::string const found = fmt::format("{} of {}", packages.size() - missing.size(), packages.size());
    std::string const hint = missing.empty() ? "" : fmt::format("apt-get install {}", fmt::join(missing, " "));
    rows.push_back({fmt::format("packages [{}]", group), found, hint, group == "build"});
  }
  return rows;
}

std::vector<finding> check_tools() {
  std::vector<finding> rows{
      check_tool("compiler", "clang++-19", "clang-19"),
      check_tool("linker", "ld.lld-19", "lld-19"),
      check_tool("cmake", "cmake", "cmake"),
      check_tool("ninja", "ninja", "ninja-build"),
      check_tool("RV64 C library", "riscv64-linux-gnu-g++", "g++-riscv64-linux-gnu"),
      check_tool("RV64 emulator", "qemu-riscv64", "qemu-user"),
      check_tool("perf", "perf", "linux-perf"),
      check_perf(),
  };
  rows[0].needed = rows[1].needed = true;
  return rows;
}

std::vector<finding> check_processor() {
  std::vector<finding> rows;
  rows.push_back({"processor", value_in("/proc/cpuinfo", "model name"), ""});
  cpu_set_t usable;
  CPU_ZERO(&usable);
  ::sched_getaffinity(0, sizeof usable, &usable);
  int const cores = CPU_COUNT(&usable);
  rows.push_back({"cores", std::to_string(cores),
                  cores > 1 ? "" : "one core only: places take turns, and speed-ups cannot be seen"});
  std::string const quota = first_line("/sys/fs/cgroup/cpu.max");
  if (!quota.empty() && !quota.starts_with("max")) {
    rows.push_back({"cpu quota", quota, "this container may use less than its cores; measure elsewhere"});
  }
  std::string const nodes = first_line("/sys/devices/system/node/has_memory");
  bool const several = nodes.find_first_of(",-") != std::string::npos;
  rows.push_back(
      {"memory nodes", nodes.empty() ? "unknown" : nodes,
       several ? "segments lie at their places if threads are pinned: tess run --pin cores --numa local" : ""});
  rows.push_back({"pinning", fmt::format("cores if a job has {} threads, else none (tess run --pin)", cores), ""});
  for (int index = 0; index < 8; ++index) {
    fs::path const cache = fmt::format("/sys/devices/system/cpu/cpu0/cache/index{}", index);
    if (!fs::exists(cache)) break;
    std::string const type = first_line(cache / "type");
    rows.push_back(
        {fmt::format("cache L{}{}", first_line(cache / "level"), type == "Unified" ? "" : " " + type),
         fmt::format("{}, lines of {} bytes", first_line(cache / "size"), first_line(cache / "coherency_line_size")),
         ""});
  }
  return rows;
}

std::vector<finding> check_memory() {
  std::vector<finding> rows;
  rows.push_back({"memory", value_in("/proc/meminfo", "MemTotal"), ""});
  rows.push_back({"memory available", value_in("/proc/meminfo", "MemAvailable"), ""});
  std::string const huge = first_line("/sys/kernel/mm/transparent_hugepage/enabled");
  std::string const huge_hint =
      huge.contains("[never]") ? "echo madvise > /sys/kernel/mm/transparent_hugepage/enabled: fewer TLB misses" : "";
  rows.push_back({"transparent huge pages", huge.empty() ? "none" : huge, huge_hint});
  rlim_t const address_space = soft_limit(RLIMIT_AS);
  rows.push_back({"ulimit -v", limit_text(address_space),
                  address_space == RLIM_INFINITY ? "" : "segments reserve address space: ulimit -v unlimited"});
  rlim_t const locked = soft_limit(RLIMIT_MEMLOCK);
  constexpr rlim_t enough_for_registration = rlim_t{64} << 20U;
  rows.push_back(
      {"ulimit -l", limit_text(locked),
       locked >= enough_for_registration ? "" : "a network adapter may not lock enough: ulimit -l unlimited"});
  struct statvfs shared{};
  bool const mounted = ::statvfs("/dev/shm", &shared) == 0;
  double const shared_bytes = static_cast<double>(shared.f_blocks) * static_cast<double>(shared.f_frsize);
  rows.push_back(
      {"/dev/shm", mounted ? fmt::format("{:.3g} GiB", gib(shared_bytes)) : "none",
       mounted && gib(shared_bytes) >= 1 ? "" : "processes of one host share memory there: mount it, 1 GiB or more"});
  return rows;
}

}  // namespace tess::cli
