// progress: the text of the line, and its timing.
#include "machine/report/progress.hpp"

#include <fmt/format.h>

#include <cstdio>

namespace tess::machine {

progress::progress(bool wanted) : wanted_(wanted) {}

progress::~progress() {
  if (said_) fmt::print(stderr, "\r\x1b[K");
}

bool progress::due() {
  return wanted_ && clock::now() - last_ >= std::chrono::seconds(1);
}

void progress::say(std::uint64_t simulated_ps, std::uint64_t instructions) {
  auto const now = clock::now();
  double const since = std::chrono::duration<double>(now - last_).count();
  double const all = std::chrono::duration<double>(now - begin_).count();
  fmt::print(stderr,
             "\r\x1b[Kmachine: {:.6f} s simulated, {:.1f} million instructions, {:.1f} million/s, {:.0f} s here",
             static_cast<double>(simulated_ps) * 1e-12, static_cast<double>(instructions) * 1e-6,
             static_cast<double>(instructions - instructions_) / since * 1e-6, all);
  std::fflush(stderr);
  said_ = true;
  last_ = now;
  instructions_ = instructions;
}

}  // namespace tess::machine
