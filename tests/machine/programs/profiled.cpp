// profiled: work of a known number of instructions below known callers, for tests of profiles.
#include <cstdio>

#include "tile.hpp"

namespace work {

/// Two instructions a time.
[[gnu::noinline]] void spin(std::uint64_t times) {
  asm volatile("1: addi %0, %0, -1\n\tbnez %0, 1b" : "+r"(times) : : "memory");
}
[[gnu::noinline]] void little() {
  spin(1000);
  asm volatile("" : : : "memory");
}
[[gnu::noinline]] void much() {
  spin(3000);
  asm volatile("" : : : "memory");
}
/// The same, without a call.
[[gnu::always_inline]] inline void inlined(std::uint64_t times) {
  asm volatile("1: addi %0, %0, -1\n\tbnez %0, 1b" : "+r"(times) : : "memory");
}
[[gnu::noinline]] void inlines() {
  inlined(2000);
}

[[gnu::noinline]] void deep(int levels) {
  if (levels > 0) deep(levels - 1);
  spin(10);
  asm volatile("" : : : "memory");
}
/// Words of another tile, one after the other.
[[gnu::noinline]] std::uint64_t far(int words) {
  std::uint64_t const there = tile::end_of_tlm(1, 64);
  std::uint64_t sum = 0;
  for (int i = 0; i < words; ++i) sum += tile::word(there);
  return sum;
}
/// A jump in place of a call and its return.
[[gnu::noinline]] void last() {
  spin(500);
}
[[gnu::noinline]] void hands_over() {
  asm volatile("" : : : "memory");
  [[clang::musttail]] return last();
}

}  // namespace work

int main(int count, char** words) {
  int const times = count > 1 ? words[1][0] - '0' : 1;
  for (int i = 0; i < times; ++i) {
    work::little();
    work::much();
    work::inlines();
  }
  work::deep(20);
  work::hands_over();
  std::printf("%llu\n", static_cast<unsigned long long>(work::far(100)));
}
