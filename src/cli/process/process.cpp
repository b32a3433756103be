// process: execvp and posix_spawnp with argument vectors, which need no quoting.
#include "cli/process/process.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "cli/command/command.hpp"

namespace tess::cli {
namespace {

// The null-terminated array of mutable strings that exec takes; it points into the given words.
std::vector<char*> argument_vector(std::string& program, std::vector<std::string>& arguments) {
  std::vector<char*> pointers{program.data()};
  for (auto& argument : arguments) pointers.push_back(argument.data());
  pointers.push_back(nullptr);
  return pointers;
}

std::string why_not(std::string const& program, int error) {
  std::string_view hint;
  if (error == ENOEXEC) hint = "; it is no program for this machine, build it with `tess c++`";
  if (error == EACCES) hint = "; make it executable with chmod +x";
  return fmt::format("cannot start {}: {}{}", program, std::strerror(error), hint);
}

}  // namespace

void become(std::filesystem::path const& file, std::vector<std::string> const& arguments) {
  std::string program = file.string();
  auto copies = arguments;
  // execvp would pass a file of unknown format to the shell; execv reports it.
  auto* const become_it = program.contains('/') ? ::execv : ::execvp;
  become_it(program.c_str(), argument_vector(program, copies).data());
  throw usage_error{why_not(program, errno)};
}

int wait_for(int process) {
  int status = 0;
  while (::waitpid(process, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

int start(std::filesystem::path const& file, std::vector<std::string> const& arguments) {
  std::string program = file.string();
  auto copies = arguments;
  pid_t child = 0;
  int const error =
      ::posix_spawnp(&child, program.c_str(), nullptr, nullptr, argument_vector(program, copies).data(), environ);
  if (error != 0) throw usage_error{why_not(program, error)};
  return child;
}

int run_to_end(std::filesystem::path const& file, std::vector<std::string> const& arguments) {
  return wait_for(start(file, arguments));
}

std::optional<std::string> output_of(std::string const& program, std::vector<std::string> const& arguments) {
  std::array<int, 2> pipe_ends{};
  if (::pipe2(pipe_ends.data(), O_CLOEXEC) != 0) return std::nullopt;
  auto const [read_end, write_end] = pipe_ends;
  posix_spawn_file_actions_t streams;
  ::posix_spawn_file_actions_init(&streams);
  ::posix_spawn_file_actions_adddup2(&streams, write_end, STDOUT_FILENO);
  ::posix_spawn_file_actions_addopen(&streams, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  ::posix_spawn_file_actions_addopen(&streams, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  std::string name = program;
  auto copies = arguments;
  pid_t child = 0;
  int const error =
      ::posix_spawnp(&child, name.c_str(), &streams, nullptr, argument_vector(name, copies).data(), environ);
  ::posix_spawn_file_actions_destroy(&streams);
  ::close(write_end);
  std::string text;
  std::array<char, 4096> chunk{};
  for (ssize_t got = 0; error == 0 && (got = ::read(read_end, chunk.data(), chunk.size())) > 0;) {
    text.append(chunk.data(), static_cast<std::size_t>(got));
  }
  ::close(read_end);
  if (error != 0 || wait_for(child) != 0) return std::nullopt;
  return text;
}

std::string environment_variable(char const* name) {
  char const* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

}  // namespace tess::cli
