// test_seed: the seed of every random choice in a test: an argument (TESS_TEST_SEED), printed when a test fails.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <string>

namespace tess::test {

inline std::uint64_t seed() {
  char const* const text = std::getenv("TESS_TEST_SEED");
  return text == nullptr ? 1 : std::strtoull(text, nullptr, 10);
}

/// A multiplicative generator: the high bits are good enough to choose with.
class random {
 public:
  explicit random(std::uint64_t s) : state_(s * 0x9E3779B97F4A7C15ull + 1) {}
  std::uint64_t next() noexcept {
    state_ ^= state_ >> 12;
    state_ ^= state_ << 25;
    state_ ^= state_ >> 27;
    return state_ * 0x2545F4914F6CDD1Dull;
  }
  std::uint64_t below(std::uint64_t n) noexcept { return (next() >> 16) % n; }

 private:
  std::uint64_t state_;
};

}  // namespace tess::test

#define TESS_PRINT_SEED(value) SCOPED_TRACE("replay with TESS_TEST_SEED=" + std::to_string(value))
