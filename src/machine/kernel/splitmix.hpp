// splitmix: a generator of random words with one word of state, for loads and for what a program asks the kernel for.
//
// Source    splitmix64 (Steele, Lea and Flood, OOPSLA 2014).
#pragma once

#include <cstdint>

namespace tess::machine {

/// The next word of the sequence that `state` stands in; moves it on.
constexpr std::uint64_t next_random(std::uint64_t& state) noexcept {
  std::uint64_t z = state += 0x9e3779b97f4a7c15U;
  z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9U;
  z = (z ^ (z >> 27U)) * 0x94d049bb133111ebU;
  return z ^ (z >> 31U);
}

}  // namespace tess::machine
