// source_line: asks a symbolizer.
#include "shmem/source_line.hpp"

#include <dlfcn.h>
#include <link.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <charconv>
#include <cstdint>
#include <string_view>

extern char** environ;

namespace tess::shmem {

namespace {

/// Its standard output, up to 4 KiB; empty if it cannot be started.
std::string output_of(std::array<char const*, 6> const& words) {
  std::array<int, 2> ends{};
  if (pipe(ends.data()) != 0) return {};
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", 1, 0);
  posix_spawn_file_actions_addclose(&actions, ends[0]);
  pid_t child = 0;
  int const problem = posix_spawnp(&child, words[0], &actions, nullptr, const_cast<char**>(words.data()), environ);
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  std::string text;
  std::array<char, 1024> buffer{};
  while (problem == 0 && text.size() < 4096) {
    ssize_t const got = read(ends[0], buffer.data(), buffer.size());
    if (got <= 0) break;
    text.append(buffer.data(), static_cast<std::size_t>(got));
  }
  close(ends[0]);
  if (problem == 0) waitpid(child, nullptr, 0);
  return text;
}

}  // namespace

place_in_file find_in_file(void* return_address) {
  Dl_info info{};
  link_map* map = nullptr;
  if (dladdr1(return_address, &info, reinterpret_cast<void**>(&map), RTLD_DL_LINKMAP) == 0) return {};
  bool const is_program = map->l_name == nullptr || *map->l_name == '\0';
  // The address after a call belongs to the next line, perhaps.
  return {is_program ? "/proc/self/exe" : map->l_name,
          reinterpret_cast<std::uintptr_t>(return_address) - map->l_addr - 1};
}

std::string source_line(void* return_address) {
  return source_line(find_in_file(return_address));
}

std::string source_line(place_in_file const& at) {
  if (at.file.empty()) return {};
  // A link to ourselves means the symbolizer there.
  std::string program = at.file;
  if (program == "/proc/self/exe") program = "/proc/" + std::to_string(getpid()) + "/exe";
  std::array<char, 20> digits{'0', 'x'};
  auto const end = std::to_chars(digits.data() + 2, digits.data() + digits.size() - 1, at.offset, 16).ptr;
  *end = '\0';
  for (char const* const tool : {"llvm-addr2line-19", "llvm-addr2line", "addr2line"}) {
    std::string const found = output_of({tool, "-i", "-e", program.c_str(), digits.data(), nullptr});
    if (found.empty()) continue;
    std::string_view lines(found);
    // Words are inlined: the function in the header first, then the line that it was inlined in.
    while (lines.substr(0, lines.find('\n')).contains("/shmem.h:")) lines.remove_prefix(lines.find('\n') + 1);
    std::string_view line = lines.substr(0, lines.find('\n'));
    line = line.substr(0, line.find(" (discriminator"));
    if (line.empty() || line.starts_with('?') || line.ends_with(":0") || line.ends_with(":?")) return {};
    return " (" + std::string(line.substr(line.rfind('/') + 1)) + ")";
  }
  return {};
}

}  // namespace tess::shmem
