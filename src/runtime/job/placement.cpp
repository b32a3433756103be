// placement: sched_setaffinity for threads, mbind for segments; sysfs lists processors and nodes.
#include "runtime/job/placement.hpp"

#include <linux/mempolicy.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>
#include <fstream>

#include "tess/error.hpp"

namespace tess::detail {

namespace {
constexpr int number_max = 1 << 14;
constexpr std::size_t nodes_max = 1024;

std::string first_line(std::filesystem::path const& file) {
  std::ifstream stream(file);
  std::string line;
  std::getline(stream, line);
  return line;
}

/// Removes a number from the beginning; -1 if there is none.
int take_number(std::string_view& text) {
  int value = -1;
  auto const [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (problem != std::errc() || value < 0 || value >= number_max) return -1;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return value;
}

std::string join(std::vector<int> const& numbers) {
  std::string text;
  for (int const n : numbers) text += (text.empty() ? "" : ",") + std::to_string(n);
  return text;
}
}  // namespace

std::vector<int> processors() {
  cpu_set_t set;
  std::vector<int> cpus;
  if (sched_getaffinity(0, sizeof set, &set) == 0)
    for (int c = 0; c < CPU_SETSIZE; ++c)
      if (CPU_ISSET(c, &set)) cpus.push_back(c);
  if (cpus.empty()) cpus.push_back(0);
  return cpus;
}

std::vector<int> read_number_list(std::string_view text) {
  std::vector<int> numbers;
  for (;;) {
    int const first = take_number(text);
    int last = first;
    if (text.starts_with('-')) {
      text.remove_prefix(1);
      last = take_number(text);
    }
    if (first < 0 || last < first) return {};
    for (int n = first; n <= last; ++n) numbers.push_back(n);
    if (text.empty()) return numbers;
    if (!text.starts_with(',')) return {};
    text.remove_prefix(1);
  }
}

std::vector<std::optional<int>> plan_pins(std::string const& pin, unsigned threads, std::vector<int> const& usable) {
  std::vector<std::optional<int>> plan(threads);
  // Threads of a job that uses the whole machine are pinned; a smaller job leaves the choice to the system.
  if (pin == "none" || (pin.empty() && threads != usable.size())) return plan;
  std::vector<int> const list = pin.empty() || pin == "cores" ? usable : read_number_list(pin);
  if (list.empty()) throw error("TESS_PIN", "`" + pin + "`", "none, cores, or processors as in 0,2-5");
  for (int const cpu : list)
    if (std::ranges::find(usable, cpu) == usable.end())
      throw error("TESS_PIN", "processor " + std::to_string(cpu), "some of " + join(usable));
  for (unsigned i = 0; i < threads; ++i) plan[i] = list[i % list.size()];
  return plan;
}

pinned::pinned(std::optional<int> cpu)
    : active_(cpu.has_value() && sched_getaffinity(0, sizeof before_, &before_) == 0) {
  if (!active_) return;
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(static_cast<unsigned>(*cpu), &one);
  sched_setaffinity(0, sizeof one, &one);
}
pinned::~pinned() {
  if (active_) sched_setaffinity(0, sizeof before_, &before_);
}

numa_policy read_numa_policy(std::string const& text) {
  if (text.empty() || text == "local") return numa_policy::local;
  if (text == "interleave") return numa_policy::interleave;
  if (text == "none") return numa_policy::none;
  throw error("TESS_NUMA", "`" + text + "`", "local, interleave or none");
}

std::vector<int> memory_nodes() {
  return read_number_list(first_line("/sys/devices/system/node/has_memory"));
}

std::optional<int> node_of_processor(int cpu) {
  std::error_code problem;
  std::filesystem::directory_iterator const none;
  std::filesystem::directory_iterator entry("/sys/devices/system/cpu/cpu" + std::to_string(cpu), problem);
  for (; !problem && entry != none; entry.increment(problem)) {
    std::string const name = entry->path().filename().string();
    if (!name.starts_with("node")) continue;
    if (auto const number = read_number_list(name.substr(4)); number.size() == 1) return number.front();
  }
  return std::nullopt;
}

bool place_pages(std::span<std::byte> memory, numa_policy policy, std::span<int const> nodes) noexcept {
  constexpr std::size_t word_bits = 8 * sizeof(unsigned long);
  std::array<unsigned long, nodes_max / word_bits> mask{};
  if (policy == numa_policy::none || nodes.empty()) return true;
  for (int const n : policy == numa_policy::local ? nodes.first(1) : nodes) {
    auto const bit = static_cast<std::size_t>(n);
    if (bit >= nodes_max) return false;
    mask[bit / word_bits] |= 1UL << (bit % word_bits);
  }
  // Preferred, not bound: a full node must not make the program fail.
  int const mode = policy == numa_policy::local ? MPOL_PREFERRED : MPOL_INTERLEAVE;
  // The kernel reads one bit less than maxnode.
  return syscall(SYS_mbind, memory.data(), memory.size(), mode, mask.data(), nodes_max + 1, 0) == 0;
}

void place_segment_pages(std::span<std::byte> memory, numa_policy policy, std::optional<int> cpu) noexcept try {
  if (policy == numa_policy::none) return;
  std::vector<int> nodes = memory_nodes();
  if (nodes.size() < 2) return;
  if (policy == numa_policy::local) {
    std::optional<int> const near = cpu ? node_of_processor(*cpu) : std::nullopt;
    if (!near) return;
    nodes = {*near};
  }
  static_cast<void>(place_pages(memory, policy, nodes));
} catch (...) {
  // Placement only affects speed: without memory for the lists, the system decides.
}

}  // namespace tess::detail
