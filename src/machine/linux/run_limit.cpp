// run_limit: a flag that a signal handler sets, and comparisons.
#include "machine/linux/run_limit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <cstdint>
#include <ctime>

namespace tess::machine {
namespace {

std::sig_atomic_t volatile noted_signal = 0;
std::int64_t volatile noted_at_ms = 0;

std::int64_t now_ms() noexcept {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return std::int64_t{now.tv_sec} * 1000 + now.tv_nsec / 1'000'000;
}

// The first signal ends the run, with all reports; one that comes later ends at once. timeout(1) sends each to the
// process and to its group, so it comes twice.
void note(int which) {
  constexpr std::int64_t together_ms = 500;
  if (noted_signal == 0) {
    noted_at_ms = now_ms();
    noted_signal = which;
  } else if (now_ms() - noted_at_ms > together_ms) {
    (void)std::signal(which, SIG_DFL);
    (void)std::raise(which);
  }
}

}  // namespace

void catch_signals() {
  for (int const signal : {SIGINT, SIGTERM}) {
    struct sigaction action{};
    // A job in the background of a shell that has no terminal of its own does not end by Ctrl-C.
    if (::sigaction(signal, nullptr, &action) == 0 && action.sa_handler == SIG_IGN) continue;
    action = {};
    action.sa_handler = note;  // calls that wait return, so not SA_RESTART
    ::sigaction(signal, &action, nullptr);
  }
}

int caught_signal() noexcept {
  return noted_signal;
}

int run_limit::exit_code() noexcept {
  return noted_signal == 0 ? 1 : 128 + noted_signal;
}

std::string run_limit::reason(std::uint64_t cycles_done, std::uint64_t instructions_done) const {
  if (noted_signal != 0) return fmt::format("machine: stopped by {}\n", noted_signal == SIGINT ? "SIGINT" : "SIGTERM");
  if (cycles_done >= cycles)
    return fmt::format("machine: stopped after {} cycles, as --max-cycles says\n", cycles_done);
  if (instructions_done >= instructions)
    return fmt::format("machine: stopped after {} instructions, as --max-instructions says\n", instructions_done);
  if (host_time != std::chrono::duration<double>::max() && std::chrono::steady_clock::now() - began_ >= host_time)
    return fmt::format("machine: stopped after {} s, as --max-seconds says\n", host_time.count());
  return {};
}

std::uint64_t run_limit::cycles_left(std::uint64_t cycles_done, std::uint64_t instructions_done,
                                     std::uint64_t harts) const noexcept {
  std::uint64_t const left = cycles - std::min(cycles, cycles_done);
  if (instructions == never) return left;
  std::uint64_t const more = (instructions - std::min(instructions, instructions_done)) / harts;
  return std::min(left, std::max<std::uint64_t>(more, 1));
}

}  // namespace tess::machine
