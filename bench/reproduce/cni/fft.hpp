// fft: Fourier transform of N complex numbers in equal blocks on 1, 2 or 4 cores.
//
//   X[k] = sum x[j] exp(2 pi i jk / N). The input is dealt to the P cores in turn. Each core transforms its block of
//   M = N / P numbers (decimation in time: bit reversal, then stages that combine transforms of 2, 4 .. M; the factor
//   of a butterfly is the previous one times exp(2 pi i / n)) and multiplies the k-th result by exp(2 pi i core k / N).
//   Then all send to all: a core gets the results of 1/P of the k from every other, and transforms the P of each k.
//
// Shapes    n, and cores: powers of two, cores^2 <= n <= elements_max; a block is n / cores pairs of 32-bit floats.
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
      : own_(own),
        n_(n),
        count_(n / own.cores()),
        part_(count_ / own.cores()),
        step_(turned(double(own.number()) / double(n))),
        block_(reinterpret_cast<complex*>(own.scratchpad())) {
    for (std::uint64_t size = 2; size <= count_; size *= 2) factors_[log2_of(size)] = turned(1.0 / double(size));
    for (unsigned peer = 0; peer < own_.cores(); ++peer)
      if (peer != own_.number()) own_.announce(with(peer));
  }

  static complex input(std::uint64_t index) noexcept {
    auto const part = [](std::uint64_t bits) { return float(std::int32_t(bits & 0xffffU) - 0x8000) / 0x8000; };
    std::uint64_t const bits = mixed(index);
    return {part(bits), part(bits >> 32U)};
  }
  /// Restores the block of the input.
  void fill() noexcept {
    for (std::uint64_t i = 0; i < count_; ++i) block_[i] = input(i * own_.cores() + own_.number());
  }
  [[nodiscard]] complex const* block() const noexcept { return block_; }
  [[nodiscard]] std::uint64_t count() const noexcept { return count_; }
  /// The k of the block's i-th result.
  [[nodiscard]] std::uint64_t index(std::uint64_t i) const noexcept {
    return own_.number() * part_ + i % part_ + i / part_ * count_;
  }

  /// Called after a barrier of all cores.
  spent run() {
    spent time;
    time.begin = own_.cycle();
    reverse();
    for (std::uint64_t size = 2; size <= count_; size *= 2)
      for (std::uint64_t at = 0; at < count_; at += size)
        combine(block_ + at, block_ + at + size / 2, block_ + at, size / 2, {1, 0}, factors_[log2_of(size)]);
    if (own_.cores() > 1) all_to_all(time);
    time.end = own_.cycle();
    return time;
  }

 private:
  [[nodiscard]] exchange with(unsigned peer) const noexcept {
    return {(own_.number() ^ peer) - 1, peer, part_ * sizeof(complex)};
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
  /// Sends each peer its part of the results, and combines its own part with those of the peers.
  void all_to_all(spent& time) {
    complex factor{1, 0};
    for (std::uint64_t i = 0; i < count_; ++i) {
      block_[i] = factor * block_[i];
      factor = factor * step_;
    }
    complex* const came = block_ + count_;
    unsigned const cores = own_.cores();
    std::uint64_t const begun = own_.cycle();
    for (unsigned turn = 1; turn < cores; ++turn) {
      unsigned const peer = own_.number() ^ turn;  // all cores send to different peers at a time
      own_.send(with(peer), came + own_.number() * part_, block_ + peer * part_);
    }
    std::uint64_t const sent = own_.cycle();
    for (unsigned turn = 1; turn < cores; ++turn) own_.wait(with(own_.number() ^ turn));
    time.sending += sent - begun;
    time.waiting += own_.cycle() - sent;
    complex const* of[4] = {};
    for (unsigned core = 0; core < cores; ++core) of[core] = (core == own_.number() ? block_ : came) + core * part_;
    for (std::uint64_t i = 0; i < part_; ++i) {
      complex* const to = block_ + i;
      if (cores == 2) {
        complex const a = of[0][i];
        complex const b = of[1][i];
        to[0] = a + b;
        to[part_] = a - b;
        continue;
      }
      complex const even = of[0][i] + of[2][i];
      complex const even_difference = of[0][i] - of[2][i];
      complex const odd = of[1][i] + of[3][i];
      complex const difference = of[1][i] - of[3][i];
      complex const odd_difference{-difference.imaginary, difference.real};  // times i
      to[0] = even + odd;
      to[part_] = even_difference + odd_difference;
      to[2 * part_] = even - odd;
      to[3 * part_] = even_difference - odd_difference;
    }
  }

  Core& own_;
  std::uint64_t n_;
  std::uint64_t count_;
  std::uint64_t part_;   ///< What a core gets of each block.
  complex step_;         ///< Factor of a result, beside that of the one before.
  complex factors_[13];  ///< of stages, by log2 of their size
  complex* block_;
};

}  // namespace cni
