// checks: checks of sorted and transformed blocks by a second algorithm: std::sort, and the defining sum in double
// precision.
//
// Cost      sorted: n log n. transformed: n for each checked result.
// Errors    false; the caller reports where.
#pragma once

#include <algorithm>
#include <vector>

#include "bitonic.hpp"
#include "fft.hpp"

namespace cni {

template <core Core>
[[nodiscard]] bool is_sorted_part(bitonic_sort<Core> const& of, std::uint64_t n) {
  std::vector<typename bitonic_sort<Core>::element> all(n);
  for (std::uint64_t i = 0; i < n; ++i) all[i] = bitonic_sort<Core>::input(i);
  std::sort(all.begin(), all.end());
  return std::equal(of.block(), of.block() + of.count(), all.begin() + static_cast<std::ptrdiff_t>(of.first()));
}

/// Checks `looks` results spread over the block. Each is a sum of n products of about 0.6, in single precision, with
/// factors that accumulate up to n / 2 roundings.
template <core Core>
[[nodiscard]] bool is_transformed_part(fft<Core> const& of, std::uint64_t n, std::uint64_t looks) {
  double const tolerance = 1e-6 * double(n) + 1e-5;
  std::uint64_t const step = std::max<std::uint64_t>(of.count() / std::min(looks, of.count()), 1);
  for (std::uint64_t i = step - 1; i < of.count(); i += step) {
    double const share = double(of.index(i)) / double(n);
    double const step_real = std::cos(2 * std::numbers::pi * share);
    double const step_imaginary = std::sin(2 * std::numbers::pi * share);
    double real = 0;
    double imaginary = 0;
    double turn_real = 1;
    double turn_imaginary = 0;
    for (std::uint64_t j = 0; j < n; ++j) {
      complex const value = fft<Core>::input(j);
      real += double(value.real) * turn_real - double(value.imaginary) * turn_imaginary;
      imaginary += double(value.real) * turn_imaginary + double(value.imaginary) * turn_real;
      double const kept = turn_real * step_real - turn_imaginary * step_imaginary;
      turn_imaginary = turn_real * step_imaginary + turn_imaginary * step_real;
      turn_real = kept;
    }
    complex const found = of.block()[i];
    if (!(std::abs(double(found.real) - real) <= tolerance &&
          std::abs(double(found.imaginary) - imaginary) <= tolerance))
      return false;
  }
  return true;
}

}  // namespace cni
