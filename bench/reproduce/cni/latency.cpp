// latency: one-way latency of a remote store: from the store on core 0 to the first load of the polling core 1 that
// sees it, by the clock that all cores share.
//
// Units     cycles.
// Errors    exit code 1: a value did not arrive; 2: wrong arguments.
#include "measure_blocks.hpp"

namespace cni {
namespace {

constexpr std::uint64_t times_max = 1024;

/// Varies the time of the store relative to the other core's poll, so that the mean includes half a poll.
void wait_cycles(std::uint64_t count) {
  std::uint64_t const until = hw::cycle() + count;
  while (hw::cycle() < until) {
  }
}

void measure(std::uint64_t times) {
  chip const on;
  must(on.cores() >= 2, "two copies are needed (--copies 2)");
  counter_barrier const barrier(on, group_usual);
  on.meet();
  auto* const begun = reinterpret_cast<std::uint64_t*>(on.data(0));  // cycle of each store
  std::uint64_t const flag = on.line(1, shared_line);
  std::uint64_t sum = 0;
  std::uint64_t least = ~std::uint64_t{0};
  for (std::uint64_t i = 0; i < times; ++i) {
    barrier.wait();
    std::uint64_t seen = 0;
    if (on.own() == 0) {
      wait_cycles(100 + mixed(i) % 64);
      begun[i] = hw::cycle();
      hw::word(flag) = i + 1;
      hw::fence();
    } else if (on.own() == 1) {
      while (hw::word(flag) != i + 1) {
      }
      seen = hw::cycle();
    }
    barrier.wait();
    if (on.own() == 1) {
      std::uint64_t const one = seen - begun[i];
      sum += one;
      least = one < least ? one : least;
    }
  }
  expect(hw::faults() == 0, "a store failed");
  if (on.own() == 1)
    std::printf("{\"program\":\"latency\",\"times\":%lu,\"sum\":%lu,\"least\":%lu}\n",
                static_cast<unsigned long>(times), static_cast<unsigned long>(sum), static_cast<unsigned long>(least));
}

}  // namespace
}  // namespace cni

int main(int count, char** words) {
  std::uint64_t const times = count == 2 ? cni::number_of(words[1]) : 0;
  if (times == 0 || times > cni::times_max) {
    std::fputs("usage: cni-latency TIMES\n  TIMES: stores that are measured, 1 to 1024. --copies 2\n", stderr);
    return 2;
  }
  cni::measure(times);
  return cni::exit_code();
}
