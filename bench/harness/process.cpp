// process: a child with its output in a pipe.
#include "harness/process.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <stdexcept>
#include <string_view>

extern char** environ;

namespace bench {

namespace {

std::string_view name_of(std::string_view variable) {
  return variable.substr(0, variable.find('='));
}

}  // namespace

std::string output_of(std::vector<std::string> words, output wanted, std::vector<std::string> variables) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) throw std::runtime_error(words[0] + ": no pipe");
  posix_spawn_file_actions_t streams;
  ::posix_spawn_file_actions_init(&streams);
  if (wanted == output::everything)
    ::posix_spawn_file_actions_adddup2(&streams, ends[1], STDOUT_FILENO);
  else
    ::posix_spawn_file_actions_addopen(&streams, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  ::posix_spawn_file_actions_adddup2(&streams, ends[1], STDERR_FILENO);
  std::vector<char*> pointers;
  for (auto& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  std::vector<char*> set;
  for (auto& variable : variables) set.push_back(variable.data());
  // A name that is there twice has the first value for some programs and the last for others.
  for (char** one = environ; *one != nullptr; ++one)
    if (std::ranges::none_of(variables, [&](std::string const& given) { return name_of(given) == name_of(*one); }))
      set.push_back(*one);
  set.push_back(nullptr);
  pid_t child = 0;
  int const failed = ::posix_spawnp(&child, words[0].c_str(), &streams, nullptr, pointers.data(), set.data());
  ::posix_spawn_file_actions_destroy(&streams);
  ::close(ends[1]);
  std::string text;
  std::array<char, 4096> chunk{};
  for (ssize_t got = 1; failed == 0 && got != 0;) {
    got = ::read(ends[0], chunk.data(), chunk.size());
    if (got > 0) text.append(chunk.data(), static_cast<std::size_t>(got));
    if (got < 0 && errno != EINTR) break;
  }
  ::close(ends[0]);
  int status = 0;
  bool ended = failed != 0;
  while (!ended) ended = ::waitpid(child, &status, 0) >= 0 || errno != EINTR;
  if (failed != 0 || status != 0) throw std::runtime_error(words[0] + " did not run to its end: " + text);
  return text;
}

}  // namespace bench
