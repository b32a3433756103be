// sampled_windows: fork, a pipe for each answer, and what became of a process.
#include "machine/command/sampled_windows.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <system_error>

namespace tess::machine {
namespace {

/// No window takes so long; one that does is hanging.
constexpr unsigned seconds_max = 120;

struct answer {
  std::uint64_t instructions = 0;
  std::uint64_t cycles = 0;
  std::uint64_t ended = 0;
};

[[noreturn]] void simulate_here(pid_t parent, int to, std::function<timed_machine::window()> const& simulate) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(1);
  for (int const signal : {SIGINT, SIGTERM}) (void)std::signal(signal, SIG_IGN);  // the parent ends this process
  ::alarm(seconds_max);
  try {
    timed_machine::window const done = simulate();
    answer const told{.instructions = done.instructions, .cycles = done.cycles, .ended = done.ended ? 1U : 0U};
    if (::write(to, &told, sizeof told) == sizeof told) ::_exit(0);
  } catch (std::exception const& failure) {
    fmt::print(stderr, "tess-machine: a window: {}\n", failure.what());
    (void)std::fflush(stderr);
  }
  ::_exit(1);
}

}  // namespace

sampled_windows::~sampled_windows() {
  for (process const& one : running_) (void)::kill(one.id, SIGKILL);
  for (process const& one : running_) {
    (void)::waitpid(one.id, nullptr, 0);
    ::close(one.answer);
  }
}

void sampled_windows::begin(std::uint64_t at, std::function<timed_machine::window()> const& simulate) {
  while (running_.size() >= at_once_) take_first();
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) throw std::system_error{errno, std::generic_category(), "a pipe"};
  pid_t const parent = ::getpid();
  pid_t const id = ::fork();
  if (id == 0) {
    ::close(ends[0]);
    simulate_here(parent, ends[1], simulate);
  }
  int const error = errno;
  ::close(ends[1]);
  if (id < 0) {
    ::close(ends[0]);
    throw std::system_error{error, std::generic_category(), "a process for a window"};
  }
  running_.push_back({.id = id, .answer = ends[0], .at = at});
}

void sampled_windows::take_first() {
  process const one = running_.front();
  answer told{};
  ssize_t got = 0;
  do got = ::read(one.answer, &told, sizeof told);
  while (got < 0 && errno == EINTR && caught_signal() == 0);
  if (got < 0 && errno == EINTR) (void)::kill(one.id, SIGKILL);  // this run ends, too
  running_.pop_front();
  ::close(one.answer);
  int status = 0;
  while (::waitpid(one.id, &status, 0) < 0 && errno == EINTR) continue;
  if (got != sizeof told) {
    failed_.push_back(WIFSIGNALED(status)
                          ? fmt::format("instruction {}: its process was ended by signal {}", one.at, WTERMSIG(status))
                          : fmt::format("instruction {}: its process ended with {}", one.at, WEXITSTATUS(status)));
    return;
  }
  if (told.instructions < least_) {
    ++cut_;
    return;
  }
  counted_.push_back({.at = one.at, .instructions = told.instructions, .cycles = told.cycles});
}

void sampled_windows::finish() {
  while (!running_.empty()) take_first();
}

}  // namespace tess::machine
