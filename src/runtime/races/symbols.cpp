// symbols: asks llvm-symbolizer-19 once for all addresses; without it there are modules and offsets.
#include "runtime/races/symbols.hpp"

#include <fcntl.h>
#include <link.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <charconv>
#include <cstdio>
#include <filesystem>
#include <string_view>

namespace tess::detail::races {

namespace {

struct module_offset {
  std::string path;  ///< empty: in no loaded object
  std::uint64_t offset = 0;
};

module_offset find_module(std::uint64_t address) {
  struct search {
    std::uint64_t address;
    module_offset found;
  } s{address, {}};
  dl_iterate_phdr(
      [](dl_phdr_info* object, std::size_t, void* context) {
        auto& wanted = *static_cast<search*>(context);
        for (unsigned i = 0; i < object->dlpi_phnum; ++i) {
          ElfW(Phdr) const& part = object->dlpi_phdr[i];
          std::uint64_t const offset = wanted.address - object->dlpi_addr;
          if (part.p_type != PT_LOAD || offset - part.p_vaddr >= part.p_memsz) continue;
          std::string path = object->dlpi_name;
          std::error_code problem;
          if (path.empty()) path = std::filesystem::read_symlink("/proc/self/exe", problem);
          wanted.found = {path, offset};
          return 1;
        }
        return 0;
      },
      &s);
  return s.found;
}

/// The tool's output for these lines of input; empty if it cannot be run.
std::string ask(std::string const& questions) {
  int const input = memfd_create("questions", MFD_CLOEXEC);
  int output[2];
  if (input < 0) return {};
  if (write(input, questions.data(), questions.size()) != static_cast<ssize_t>(questions.size()) ||
      lseek(input, 0, SEEK_SET) != 0 || pipe(output) != 0) {
    close(input);
    return {};
  }
  std::string words[] = {"llvm-symbolizer-19", "--inlines", "--functions=short", "--output-style=LLVM"};
  char* arguments[] = {words[0].data(), words[1].data(), words[2].data(), words[3].data(), nullptr};
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, output[1], STDOUT_FILENO);
  posix_spawn_file_actions_addclose(&actions, output[0]);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  pid_t tool = 0;
  bool const started = posix_spawnp(&tool, arguments[0], &actions, nullptr, arguments, environ) == 0;
  posix_spawn_file_actions_destroy(&actions);
  close(input);
  close(output[1]);
  std::string text;
  char part[4096];
  for (ssize_t n; started && (n = read(output[0], part, sizeof part)) > 0;)
    text.append(part, static_cast<std::size_t>(n));
  close(output[0]);
  if (started) waitpid(tool, nullptr, 0);
  return text;
}

/// The answers, which are separated by empty lines.
std::vector<std::vector<std::string>> split(std::string_view text) {
  std::vector<std::vector<std::string>> answers(1);
  while (!text.empty()) {
    auto const end = std::min(text.find('\n'), text.size());
    std::string_view const line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.empty())
      answers.emplace_back();
    else
      answers.back().emplace_back(line);
  }
  return answers;
}

std::vector<std::vector<std::string>> ask_about(char const* what, std::vector<module_offset> const& places) {
  std::string questions;
  for (module_offset const& m : places) {
    char line[64];
    std::snprintf(line, sizeof line, "\" 0x%lx\n", static_cast<unsigned long>(m.offset));
    questions += std::string(what) + " \"" + (m.path.empty() ? "/nowhere" : m.path) + line;
  }
  return split(ask(questions));
}

bool is_of_program(std::string_view file) {
  return !file.starts_with("/usr/") && !file.contains("include/tess/") && !file.contains("/src/runtime/") &&
         !file.starts_with('?');
}

/// FILE:LINE:COLUMN.
code_line read_line(std::string const& function, std::string_view place) {
  code_line read{function, {}, 0, false};
  auto const column = place.rfind(':');
  auto const line = column == std::string_view::npos ? column : place.rfind(':', column - 1);
  if (line == std::string_view::npos) return read;
  std::from_chars(place.data() + line + 1, place.data() + column, read.line);
  std::string_view const file = place.substr(0, line);
  if (file.starts_with('?')) return read;
  read.of_program = is_of_program(file);
  std::error_code problem;
  std::string const here = std::filesystem::current_path(problem).string() + '/';
  read.file = file.starts_with(here) ? file.substr(here.size()) : file;
  return read;
}

}  // namespace

std::vector<code_line> lines_of(std::vector<std::uint64_t> const& code) {
  std::vector<module_offset> places;
  for (std::uint64_t const address : code) places.push_back(find_module(address));
  auto const answers = ask_about("CODE", places);
  std::vector<code_line> lines;
  for (std::size_t i = 0; i < code.size(); ++i) {
    code_line chosen;
    for (std::size_t n = 0; i < answers.size() && n + 1 < answers[i].size(); n += 2) {
      code_line const read = read_line(answers[i][n], answers[i][n + 1]);
      if (chosen.file.empty() || (read.of_program && !chosen.of_program)) chosen = read;
      if (chosen.of_program) break;
    }
    if (chosen.file.empty()) {
      char offset[32];
      std::snprintf(offset, sizeof offset, "+0x%lx", static_cast<unsigned long>(places[i].offset));
      chosen.function = places[i].path + offset;
    }
    lines.push_back(std::move(chosen));
  }
  return lines;
}

std::vector<std::string> variables_at(std::vector<std::uint64_t> const& addresses) {
  std::vector<module_offset> places;
  for (std::uint64_t const address : addresses) places.push_back(find_module(address));
  auto const answers = ask_about("DATA", places);
  std::vector<std::string> names;
  for (std::size_t i = 0; i < addresses.size(); ++i) {
    bool const known = !places[i].path.empty() && i < answers.size() && !answers[i].empty();
    names.push_back(known && !answers[i][0].starts_with('?') ? answers[i][0] : "");
  }
  return names;
}

}  // namespace tess::detail::races
