// own_process: the texts, in the formats of proc(5).
#include "machine/linux/own_process.hpp"

#include <fmt/format.h>

#include <utility>

#include "machine/hart/hart.hpp"

namespace tess::machine {
namespace {

constexpr std::string_view isa = "rv64imafdc_zicsr_zifencei_zihintpause_zawrs";

std::string with_zeros(std::vector<std::string> const& texts) {
  std::string all;
  for (std::string const& one : texts) all.append(one).push_back('\0');
  return all;
}

std::string map_line(std::uint64_t begin, std::uint64_t end, std::uint8_t rights, std::string_view name) {
  std::string const place =
      fmt::format("{:08x}-{:08x} {}{}{}p 00000000 00:00 0", begin, end, (rights & right_read) != 0 ? 'r' : '-',
                  (rights & right_write) != 0 ? 'w' : '-', (rights & right_execute) != 0 ? 'x' : '-');
  return name.empty() ? place + " \n" : fmt::format("{:<72} {}\n", place, name);
}

}  // namespace

own_process::own_process(elf_image const& image, std::string path, std::string shown,
                         std::vector<std::string> const& arguments, std::vector<std::string> const& environment,
                         address_space const& space, threads const& tasks, machine_host const& host,
                         std::uint64_t memory_bytes)
    : image_(image),
      path_(std::move(path)),
      shown_path_(std::move(shown)),
      arguments_(arguments),
      environment_(environment),
      space_(space),
      threads_(tasks),
      host_(host),
      memory_bytes_(memory_bytes) {}

std::optional<std::string> own_process::name_in(std::string_view path) {
  auto const below = [&](std::string_view folder) {
    if (!path.starts_with(folder)) return false;
    std::string_view const rest = path.substr(folder.size());
    if (!rest.empty() && rest.front() != '/') return false;
    path = rest.empty() ? rest : rest.substr(1);
    return true;
  };
  std::string const by_number = fmt::format("/proc/{}", threads::main_id);
  if (below("/proc/thread-self")) return std::string{path};
  if (!below("/proc/self") && !below(by_number)) return {};
  // A thread's folder has the same files.
  constexpr std::string_view task = "task/";
  std::size_t const behind = path.starts_with(task) ? path.find('/', task.size()) : path.npos;
  return std::string{behind == path.npos ? path : path.substr(behind + 1)};
}

std::optional<std::string> own_process::text(std::string_view path) const {
  if (auto const own = name_in(path)) return own_text(*own);
  if (path == "/proc/cpuinfo") return processors();
  if (path == "/proc/meminfo") return memory();
  if (path == "/sys/devices/system/cpu/online" || path == "/sys/devices/system/cpu/possible")
    return host_.harts_count() == 1 ? "0\n" : fmt::format("0-{}\n", host_.harts_count() - 1);
  return {};
}

std::optional<std::string> own_process::own_text(std::string_view of) const {
  if (of == "maps") return maps();
  if (of == "cmdline") return with_zeros(arguments_);
  if (of == "environ") return with_zeros(environment_);
  if (of == "status") return status();
  if (of == "stat") return stat();
  if (of == "statm") {
    std::uint64_t const pages = mapped_bytes() / user_page_bytes;
    return fmt::format("{0} {0} 0 {1} 0 {0} 0\n", pages, page_up(image_.end) / user_page_bytes);
  }
  if (of == "comm") return name() + "\n";
  if (of == "oom_score_adj") return "0\n";
  return {};
}

std::string own_process::name() const {
  constexpr std::size_t bytes_max = 15;  // as Linux
  return path_.substr(path_.find_last_of('/') + 1).substr(0, bytes_max);
}

std::vector<std::string> own_process::task_names() const {
  std::vector<std::string> texts;
  for (std::uint64_t const id : threads_.ids()) texts.push_back(std::to_string(id));
  return texts;
}

std::string own_process::maps() const {
  std::string lines;
  for (elf_segment const& segment : image_.segments)
    lines += map_line(page_down(segment.address), page_up(segment.address + segment.memory_bytes), segment.rights,
                      shown_path_);
  auto const [heap, heap_end] = space_.heap();
  if (heap < heap_end) lines += map_line(heap, heap_end, right_read | right_write, "[heap]");
  for (auto const& [begin, mapped] : space_.mappings())
    lines += map_line(begin, mapped.end, mapped.rights, mapped.end == space_.stack_top() ? "[stack]" : "");
  return lines;
}

std::uint64_t own_process::mapped_bytes() const {
  std::uint64_t sum = 0;
  for (elf_segment const& segment : image_.segments) sum += page_up(segment.memory_bytes);
  auto const [heap, heap_end] = space_.heap();
  sum += heap_end - heap;
  for (auto const& [begin, mapped] : space_.mappings()) sum += mapped.end - begin;
  return sum;
}

std::string own_process::status() const {
  std::uint64_t const kibibytes = mapped_bytes() / 1024;
  return fmt::format(
      "Name:\t{}\nUmask:\t0022\nState:\tR (running)\nTgid:\t{}\nNgid:\t0\nPid:\t{}\nPPid:\t1\nTracerPid:\t0\n"
      "Uid:\t1000\t1000\t1000\t1000\nGid:\t1000\t1000\t1000\t1000\nFDSize:\t64\nGroups:\t1000 \n"
      "VmPeak:\t{:8} kB\nVmSize:\t{:8} kB\nVmHWM:\t{:8} kB\nVmRSS:\t{:8} kB\nThreads:\t{}\n"
      "Cpus_allowed_list:\t0-{}\nvoluntary_ctxt_switches:\t0\nnonvoluntary_ctxt_switches:\t0\n",
      name(), threads::main_id, threads::main_id, kibibytes, kibibytes, kibibytes, kibibytes, threads_.ids().size(),
      host_.harts_count() - 1);
}

// The fields of proc(5), /proc/pid/stat; those that say nothing here are 0.
std::string own_process::stat() const {
  constexpr std::uint64_t ns_per_tick = 10'000'000;
  std::string line = fmt::format("{0} ({1}) R 1 {0} {0} 0 -1 0 0 0 0 0 {2} 0 0 0 20 0 {3} 0 0 {4} {5}",
                                 threads::main_id, name(), host_.now_ns() / ns_per_tick, threads_.ids().size(),
                                 mapped_bytes(), mapped_bytes() / user_page_bytes);
  constexpr int written = 24;
  constexpr int fields = 52;
  for (int k = written; k < fields; ++k) line += " 0";
  return line + "\n";
}

std::string own_process::processors() const {
  std::string lines;
  for (std::uint32_t k = 0; k < host_.harts_count(); ++k)
    lines += fmt::format("processor\t: {0}\nhart\t\t: {0}\nisa\t\t: {1}\nmmu\t\t: none\n\n", k, isa);
  return lines;
}

std::string own_process::memory() const {
  std::uint64_t const all = memory_bytes_ / 1024;
  std::uint64_t const free = all - std::min(all, mapped_bytes() / 1024);
  return fmt::format(
      "MemTotal:       {0:8} kB\nMemFree:        {1:8} kB\nMemAvailable:   {1:8} kB\n"
      "Buffers:               0 kB\nCached:                0 kB\nSwapTotal:             0 kB\n"
      "SwapFree:              0 kB\n",
      all, free);
}

}  // namespace tess::machine
