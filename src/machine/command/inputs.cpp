// inputs: what the command line gives to a run: the program's file, words, environment and files, and limits.
#include "machine/command/inputs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <fstream>
#include <span>
#include <system_error>

extern char** environ;

namespace tess::machine {

namespace fs = std::filesystem;

std::vector<std::byte> contents_of(fs::path const& path) {
  std::error_code unreadable;
  std::uintmax_t const bytes = fs::file_size(path, unreadable);
  std::ifstream stream{path, std::ios::binary};
  if (unreadable || !stream || !fs::is_regular_file(path))
    throw wrong_use{fmt::format("{} cannot be read; give the file of a static RV64 program", path.string())};
  std::vector<std::byte> contents(bytes);
  stream.read(reinterpret_cast<char*>(contents.data()), static_cast<std::streamsize>(bytes));  // NOLINT
  contents.resize(static_cast<std::size_t>(stream.gcount()));
  return contents;
}

// The host's environment would make runs differ: only variables of the runtime and of OpenSHMEM are passed on, and none
// of those by which ./tess says where it is and how it builds.
std::vector<std::string> environment_of(chosen_options const& chosen, bool timed) {
  static constexpr std::array<std::string_view, 6> not_its{
      "TESS_COMMAND=", "TESS_PYTHON=", "TESS_PRESET=", "TESS_JOBS=", "TESS_PROGRESS_SECONDS=", system_variable};
  std::vector<std::string> result;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    std::string_view const one{*entry};
    if (std::ranges::any_of(not_its, [&](std::string_view name) { return one.starts_with(name); })) continue;
    for (std::string_view const known : {"TESS_", "SHMEM_", "SMA_"})
      if (one.starts_with(known)) result.emplace_back(one);
  }
  for (std::string const& entry : chosen.environment) {
    std::string const name = entry.substr(0, entry.find('=') + 1);
    std::erase_if(result, [&](std::string const& other) { return other.starts_with(name); });
    result.push_back(entry);
  }
  // Tells the runtime whether there are tiles that it may query.
  result.emplace_back(timed ? "TESS_TIMING=on" : "TESS_TIMING=off");
  return result;
}

fs::path own_folder() {
  return fs::read_symlink("/proc/self/exe").parent_path();
}

namespace {

/// Without --allow-read: the current folder, that of the program, and what its words name.
void allow_reading(chosen_options const& chosen, program_options& options) {
  options.files.allow_read_file(options.path);
  for (auto const& folder : chosen.read_folders) options.files.allow_read(folder);
  if (!chosen.read_folders.empty()) return;
  options.files.allow_read(".");
  options.files.allow_read(fs::path(options.path).parent_path());
  for (std::string_view const word : std::span{options.arguments}.subspan(1)) {
    std::error_code absent;
    fs::path const named{word.substr(word.starts_with('-') ? word.find('=') + 1 : 0)};  // as in --input=FILE
    if (named.empty() || named.lexically_normal() == "/") continue;
    if (fs::is_directory(named, absent)) options.files.allow_read(named);
    if (fs::is_regular_file(named, absent)) options.files.allow_read_file(named);
  }
}

bool is_bundled(std::string const& program) {
  std::error_code wrong;
  return fs::equivalent(fs::absolute(program).parent_path(), own_folder().parent_path() / "riscv", wrong);
}

}  // namespace

program_options options_of(chosen_options const& chosen, runtime_files const& files, bool timed) {
  program_options result;
  result.arguments = chosen.arguments;
  if (is_bundled(chosen.arguments.front())) {
    // Its time shall not depend on where the installation is.
    result.arguments.front() = fs::path(chosen.arguments.front()).filename().string();
    result.shown_path = "/" + result.arguments.front();
  }
  result.environment = environment_of(chosen, timed);
  result.environment.insert(result.environment.end(), files.variables().begin(), files.variables().end());
  result.path = fs::absolute(chosen.arguments.front()).lexically_normal().string();
  result.seed = chosen.seed;
  result.layout = chosen.layout;
  result.slice_cycles = chosen.slice_cycles;
  for (auto const& folder : chosen.write_folders) result.files.allow_write(folder);
  if (!files.folder().empty()) result.files.allow_write_as(files.folder(), std::string(runtime_files::shown_folder));
  allow_reading(chosen, result);
  return result;
}

run_limit limit_of(chosen_options const& chosen) {
  run_limit limit;
  if (chosen.cycles_max != 0) limit.cycles = chosen.cycles_max;
  if (chosen.instructions_max != 0) limit.instructions = chosen.instructions_max;
  if (chosen.seconds_max > 0) limit.host_time = std::chrono::duration<double>(chosen.seconds_max);
  return limit;
}

}  // namespace tess::machine
