// run_limit: a flag that a signal handler sets, and comparisons.
#include "machine/linux/run_limit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <csignal>

namespace tess::machine {
namespace {

std::sig_atomic_t volatile noted_signal = 0;

}  // namespace

void catch_signals() {
  for (int const signal : {SIGINT, SIGTERM}) {
    struct sigaction action{};
    // A job in the background of a shell that has no terminal of its own does not end by Ctrl-C.
    if (::sigaction(signal, nullptr, &action) == 0 && action.sa_handler == SIG_IGN) continue;
    action = {};
    action.sa_handler = [](int which) { noted_signal = which; };
    action.sa_flags = static_cast<int>(SA_RESETHAND);  // calls that wait return, so not SA_RESTART
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
