// fft: Fourier transform of N complex numbers in equal blocks on 1, 2 or 4 cores.
//
//   X[k] = sum x[j] exp(2 pi i jk / N). Decimation in time: bit reversal, then stages that combine transforms of 2, 4
//   .. N; the factor of a butterfly is the previous one times exp(2 pi i / n). The input is dealt to the cores in turn,
//   so that the reversal and all stages within a block are local. In each of the last log2(cores) stages, peers send
//   each other half of their blocks, so that each has both numbers of half of the butterflies; results stay there.
//
// Shapes    n, and cores: powers of two, 2 cores <= n <= elements_max; a block is n / cores pairs of 32-bit floats.
// Threads   one object per core.
// Source    FFT5 of StreamIt's benchmarks (ASPLOS 2006), as in CNI's evaluation.
#pragma once

#include <cmath>
#include <numbers>

#include "core.hpp"

namespace cni {

struct complex {
  float real = 0;
  float imaginary = 0;
};
constexpr complex operator*(complex a, complex b) noexcept {
  return {a.real * b.real - a.imaginary * b.imaginary, a.real * b.imaginary + a.imaginary * b.real};
}
constexpr complex operator+(complex a, complex b) noexcept {
  return {a.real + b.real, a.imaginary + b.imaginary};
}
constexpr complex operator-(complex a, complex b) noexcept {
  return {a.real - b.real, a.imaginary - b.imaginary};
}
/// exp(2 pi i share).
inline complex turned(double share) noexcept {
  double const angle = 2 * std::numbers::pi * share;
  return {static_cast<float>(std::cos(angle)), static_cast<float>(std::sin(angle))};
}

template <core Core>
class fft {
 public:
  static constexpr std::uint64_t elements_max = data_bytes / sizeof(complex);

  fft(Core& own, std::uint64_t n)
      : own_(own), n_(n), count_(n / own.cores()), block_(reinterpret_cast<complex*>(own.scratchpad())) {
    for (std::uint64_t size = 2; size <= count_; size *= 2) factors_[log2_of(size)] = turned(1.0 / double(size));
    for (unsigned stage = 0; stage < stages(); ++stage) {
      std::uint64_t const size = count_ << (stage + 1);
      if (is_high(stage)) first_ += stage == 0 ? count_ / 2 : count_ << (stage - 1);
      factors_[log2_of(size)] = turned(1.0 / double(size));
      begins_[stage] = turned(double(first_) / double(size));
      own_.announce(with(stage));
    }
  }

  static complex input(std::uint64_t index) noexcept {
    auto const part = [](std::uint64_t bits) { return float(std::int32_t(bits & 0xffffU) - 0x8000) / 0x8000; };
    std::uint64_t const bits = mixed(index);
    return {part(bits), part(bits >> 32U)};
  }
  /// Restores the block of the input.
  void fill() noexcept {
    std::uint64_t const turn = reversed(own_.number(), stages());
    for (std::uint64_t i = 0; i < count_; ++i) block_[i] = input(i * own_.cores() + turn);
  }
  [[nodiscard]] complex const* block() const noexcept { return block_; }
  [[nodiscard]] std::uint64_t count() const noexcept { return count_; }
  /// The k of the block's i-th result.
  [[nodiscard]] std::uint64_t index(std::uint64_t i) const noexcept {
    if (stages() == 0 || i < count_ / 2) return first_ + i;
    return first_ + i - count_ / 2 + n_ / 2;
  }

  /// Called after a barrier of all cores.
  spent run() {
    spent time;
    time.begin = own_.cycle();
    reverse();
    for (std::uint64_t size = 2; size <= count_; size *= 2)
      for (std::uint64_t at = 0; at < count_; at += size)
        combine(block_ + at, block_ + at + size / 2, block_ + at, size / 2, {1, 0}, factors_[log2_of(size)]);
    for (unsigned stage = 0; stage < stages(); ++stage) wide_stage(stage, time);
    time.end = own_.cycle();
    return time;
  }

 private:
  [[nodiscard]] unsigned stages() const noexcept { return log2_of(own_.cores()); }
  [[nodiscard]] bool is_high(unsigned stage) const noexcept { return ((own_.number() >> stage) & 1U) != 0; }
  [[nodiscard]] exchange with(unsigned stage) const noexcept {
    return {stage, own_.number() ^ (1U << stage), count_ / 2 * sizeof(complex)};
  }
  void reverse() noexcept {
    std::uint64_t turned = 0;
    for (std::uint64_t i = 0; i < count_; ++i) {
      if (i < turned) {
        complex const kept = block_[i];
        block_[i] = block_[turned];
        block_[turned] = kept;
      }
      std::uint64_t bit = count_ / 2;  // 1 is added at the highest bit
      while (bit != 0 && (turned & bit) != 0) {
        turned ^= bit;
        bit /= 2;
      }
      turned |= bit;
    }
  }
  /// `count` butterflies: to[i] = low + w high, to[i + count] = low - w high.
  static void combine(complex const* low, complex const* high, complex* to, std::uint64_t count, complex factor,
                      complex step) noexcept {
    for (std::uint64_t i = 0; i < count; ++i) {
      complex const a = low[i];
      complex const b = factor * high[i];
      to[i] = a + b;
      to[i + count] = a - b;
      factor = factor * step;
    }
  }
  /// Sends the half whose butterflies the peer computes.
  void wide_stage(unsigned stage, spent& time) {
    exchange const half = with(stage);
    complex* const came = block_ + count_ + stage * (count_ / 2);
    complex* const kept = is_high(stage) ? block_ + count_ / 2 : block_;
    complex const* const given = is_high(stage) ? block_ : block_ + count_ / 2;
    swap_with(own_, half, came, given, time);
    std::uint64_t const size = count_ << (stage + 1);
    combine(is_high(stage) ? came : kept, is_high(stage) ? kept : came, block_, count_ / 2, begins_[stage],
            factors_[log2_of(size)]);
  }

  Core& own_;
  std::uint64_t n_;
  std::uint64_t count_;
  std::uint64_t first_ = 0;  ///< index of the first butterfly of the current wide stage
  complex factors_[13];      ///< of stages, by log2 of their size
  complex begins_[2];        ///< first factor on this core, of wide stages
  complex* block_;
};

}  // namespace cni
