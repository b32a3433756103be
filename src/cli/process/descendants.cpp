// descendants: /proc/PID/stat, and PR_SET_CHILD_SUBREAPER.
#include "cli/process/descendants.hpp"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <thread>

namespace tess::cli {
namespace {

namespace fs = std::filesystem;

struct process_state {
  char letter = 0;
  int parent = 0;
};

// 52 numbers and a name.
constexpr std::size_t stat_bytes_max = 2048;

std::optional<process_state> state_of(std::string const& process) {
  std::ifstream stream("/proc/" + process + "/stat");
  // read(), unlike an iterator, throws nothing if the process ends meanwhile.
  std::array<char, stat_bytes_max> line{};
  stream.read(line.data(), line.size());
  std::string_view const text(line.data(), static_cast<std::size_t>(stream.gcount()));
  // number (name) letter parent …; a name may hold brackets and spaces.
  auto const name_end = text.rfind(')');
  if (name_end == std::string_view::npos) return std::nullopt;
  std::istringstream rest{std::string(text.substr(name_end + 1))};
  process_state state;
  if (!(rest >> state.letter >> state.parent)) return std::nullopt;
  return state;
}

bool has_ended(char letter) {
  return letter == 'Z' || letter == 'X';
}

}  // namespace

std::vector<int> children_of(int process) {
  std::vector<int> children;
  std::error_code gone;
  for (auto entry = fs::directory_iterator("/proc", gone); entry != fs::directory_iterator(); entry.increment(gone)) {
    std::string const name = entry->path().filename().string();
    int number = 0;
    if (std::from_chars(name.data(), name.data() + name.size(), number).ec != std::errc{}) continue;
    auto const state = state_of(name);
    if (state && state->parent == process && !has_ended(state->letter)) children.push_back(number);
  }
  return children;
}

bool is_stopped(int process) {
  auto const state = state_of(std::to_string(process));
  return state && state->letter == 'T';
}

void adopt_orphans() {
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
}

void end_children(std::chrono::milliseconds most) {
  auto const limit = std::chrono::steady_clock::now() + most;
  for (;;) {
    // A child's number stays its own until it is waited for, so nobody else can be hit.
    for (int const child : children_of(::getpid())) ::kill(child, SIGKILL);
    pid_t ended = 0;
    while ((ended = ::waitpid(-1, nullptr, WNOHANG)) > 0) {
    }
    if ((ended < 0 && errno != EINTR) || std::chrono::steady_clock::now() > limit) return;
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
}

}  // namespace tess::cli
