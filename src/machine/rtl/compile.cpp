// compile: starts the tool and reads the path that it prints.
#include "machine/rtl/compile.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <fstream>
#include <map>
#include <string_view>

#include "machine/rtl/rtl_library.hpp"

extern char** environ;  // NOLINT: POSIX names it so

namespace tess::machine {
namespace {

namespace fs = std::filesystem;

/// Its standard output, and its exit code; -1: it did not start, or was ended by a signal.
std::pair<std::string, int> output_of(std::vector<std::string> const& words) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return {"", -1};
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  ::posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  std::vector<char*> arguments;
  for (std::string const& word : words) arguments.push_back(const_cast<char*>(word.c_str()));  // NOLINT: as exec has it
  arguments.push_back(nullptr);
  pid_t process = -1;
  bool const started = ::posix_spawnp(&process, arguments[0], &actions, nullptr, arguments.data(), environ) == 0;
  ::posix_spawn_file_actions_destroy(&actions);
  ::close(ends[1]);
  std::string said;
  std::array<char, 4096> some{};
  for (ssize_t count = 0; started && (count = ::read(ends[0], some.data(), some.size())) != 0;) {
    if (count > 0) {
      said.append(some.data(), static_cast<std::size_t>(count));
    } else if (errno != EINTR) {
      break;
    }
  }
  ::close(ends[0]);
  int status = 0;
  while (started && ::waitpid(process, &status, 0) < 0 && errno == EINTR) {
  }
  return {said, started && WIFEXITED(status) ? WEXITSTATUS(status) : -1};
}

/// The simulator and its tests are in different folders of the build tree.
fs::path file_of_places() {
  fs::path folder = fs::read_symlink("/proc/self/exe").parent_path();
  fs::path const within = "share/tessera";
  while (!fs::exists(folder / within) && folder.has_relative_path()) folder = folder.parent_path();
  return folder / within / "rtl.txt";
}

/// What the tool prints.
fs::path made_by_tool(std::string const& unit, rtl_parameters const& parameters) {
  std::ifstream places(file_of_places());
  std::string python;
  std::string tool;
  if (!std::getline(places, python) || !std::getline(places, tool) || !fs::exists(tool))
    throw rtl_error("the hardware is compiled from the sources of Tessera, which are not here");
  // Without the group rtl there may be no Python of the project's own; then the tool says what to install.
  std::vector<std::string> words{fs::exists(python) ? python : "python3", "-B", tool, unit};
  for (auto const& [key, value] : parameters) words.push_back(fmt::format("{}={}", key, value));
  auto [said, code] = output_of(words);
  while (!said.empty() && said.back() == '\n') said.pop_back();
  if (code != 0 || said.empty())
    throw rtl_error(fmt::format("{} cannot be had as hardware; the reason is above, if {} started", unit, words[0]));
  return said;
}

}  // namespace

fs::path compiled_hardware(std::string const& unit, rtl_parameters const& parameters) {
  // Tests make many machines in a process, and starting the tool takes longer than most of them.
  static std::map<std::pair<std::string, rtl_parameters>, fs::path> known;
  fs::path& file = known[{unit, parameters}];
  if (file.empty()) file = made_by_tool(unit, parameters);
  return file;
}

}  // namespace tess::machine
