// random_word: stateless random numbers: word k of a stream is a function of seed and k.
//
//   Every place draws its own part of a stream, so the stream does not depend on the number of places.
//
// Source    splitmix64 (Steele, Lea and Flood, OOPSLA 2014).
#pragma once

#include <cstdint>

namespace kernels {

// Word k of the sequence of splitmix64 that starts at `seed`.
constexpr std::uint64_t splitmix(std::uint64_t seed, std::uint64_t k) noexcept {
  std::uint64_t z = seed + (k + 1) * 0x9e3779b97f4a7c15;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

// Word k of stream `seed`. The seed is mixed first, so that the streams of neighbouring seeds are independent.
constexpr std::uint64_t random_word(std::uint64_t seed, std::uint64_t k) noexcept {
  return splitmix(splitmix(0, seed), k);
}

// Maps a random word to [0, size).
constexpr std::uint64_t scaled(std::uint64_t random, std::uint64_t size) noexcept {
  return static_cast<std::uint64_t>(static_cast<unsigned __int128>(random) * size >> 64);
}

}  // namespace kernels
