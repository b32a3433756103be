// default_client: the client of the server that TESS_RMEM names, or of a private server that this program starts.
//
//   The listening socket is created here, so connections wait in it until the server is up. The server also gets one
//   end of a pipe, which closes when this process ends, however it ends; then the server ends, too.
#include <fcntl.h>
#include <spawn.h>
#include <sys/random.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

#include "rmem/wire/sockets.hpp"
#include "tess/rmem.hpp"

namespace tess::rmem {

namespace {

namespace fs = std::filesystem;

std::string environment(char const* name) {
  char const* const value = std::getenv(name);
  return value == nullptr ? std::string() : std::string(value);
}

/// The `tess` command: what `tess run` says, or the one beside the bundled programs, or the one in PATH.
std::string command() {
  if (auto const value = environment("TESS_COMMAND"); !value.empty()) return value;
  std::error_code none;
  auto const program = fs::read_symlink("/proc/self/exe", none);
  // Programs are two folders below the one that contains bin, benchmarks three.
  auto folder = program.parent_path().parent_path().parent_path();
  for (int up = 0; up < 2; ++up, folder = folder.parent_path())
    if (auto const beside = folder / "bin" / "tess"; fs::exists(beside, none)) return beside.string();
  return "tess";
}

std::string start_server() {
  std::array<std::uint64_t, 2> random{};
  static_cast<void>(!getrandom(random.data(), sizeof random, 0));
  std::string const address = "unix:@tess-" + std::to_string(random[0]) + "-" + std::to_string(random[1]);
  auto const listener = listen_at(address);
  std::array<int, 2> life{};
  if (pipe2(life.data(), O_CLOEXEC) != 0) throw lost("the program's private memory server: no pipe");
  descriptor const server_end(life[0]);
  // life[1] stays open as long as this process lives.
  constexpr int child_listener = 3;
  constexpr int child_life = 4;
  auto const size = environment("TESS_RMEM_SIZE");
  std::vector<std::string> words{command(),
                                 "memd",
                                 "--private",
                                 "--listen-fd",
                                 std::to_string(child_listener),
                                 "--life-fd",
                                 std::to_string(child_life),
                                 "--size",
                                 size.empty() ? "half" : size};
  std::vector<char*> arguments;
  for (auto& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  // By way of high numbers, because the originals may be 3 and 4.
  descriptor const high_listener(fcntl(listener.number(), F_DUPFD_CLOEXEC, 10));
  descriptor const high_life(fcntl(life[0], F_DUPFD_CLOEXEC, 10));
  posix_spawn_file_actions_adddup2(&actions, high_listener.number(), child_listener);
  posix_spawn_file_actions_adddup2(&actions, high_life.number(), child_life);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  pid_t process = 0;
  int const failure = posix_spawnp(&process, words[0].c_str(), &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (failure != 0)
    throw lost("cannot start the program's private memory server, `" + words[0] + " memd`: " + std::strerror(failure) +
               "; put tess into PATH, or name a server by TESS_RMEM");
  return address;
}

std::vector<std::string> tokens() {
  std::vector<std::string> all;
  std::string const value = environment("TESS_RMEM_TOKEN");
  for (std::size_t at = 0; at < value.size();) {
    std::size_t const comma = std::min(value.find(',', at), value.size());
    all.push_back(value.substr(at, comma - at));
    at = comma + 1;
  }
  return all;
}

}  // namespace

client& default_client() {
  static client one(
      [] {
        auto const value = environment("TESS_RMEM");
        return value.empty() ? start_server() : value;
      }(),
      tokens());
  return one;
}

}  // namespace tess::rmem
