// test_seed: the seed of every random choice in a test: an argument (TESS_TEST_SEED), printed when a test fails.
#pragma once

#include <gtest/gtest.h>

#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>

namespace tess::test {

inline std::uint64_t seed() {
  char const* const text = std::getenv("TESS_TEST_SEED");
  std::uint64_t value = 1;
  if (text != nullptr) std::from_chars(text, text + std::strlen(text), value);
  return value;
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
