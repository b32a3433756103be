// soft_float: IEEE 754 arithmetic on bit patterns, in every rounding mode, for cases that the host's unit cannot do.
//
//   The hart computes with the host's unit and uses this for RMM, for a static mode other than the current one, and for
//   conversions out of range. Tests compare the host's unit with it. F is float or double; bits are those of that
//   width. NaN results are RISC-V's canonical NaN. Tininess is detected after rounding.
//
// Errors    none; exceptions are or-ed into `flags` as fflags.
// Cost      20 to 100 ns per operation.
// Source    IEEE 754-2008; RISC-V Unprivileged ISA 20191213, 11.2 to 11.7.
#pragma once

#include <cstdint>

#include "machine/hart/float_state.hpp"

namespace tess::machine::soft {

template <class F>
struct format;
template <>
struct format<float> {
  using bits = std::uint32_t;
  static constexpr int precision = 24;
  static constexpr int bias = 127;
};
template <>
struct format<double> {
  using bits = std::uint64_t;
  static constexpr int precision = 53;
  static constexpr int bias = 1023;
};
template <class F>
using bits_of = typename format<F>::bits;

template <class F>
inline constexpr bits_of<F> fraction_mask = (bits_of<F>{1} << (format<F>::precision - 1)) - 1;
template <class F>
inline constexpr bits_of<F> sign_mask = bits_of<F>{1} << (sizeof(F) * 8 - 1);
template <class F>
inline constexpr bits_of<F> infinity = static_cast<bits_of<F>>(~sign_mask<F> & ~fraction_mask<F>);
template <class F>
inline constexpr bits_of<F> quiet_bit = bits_of<F>{1} << (format<F>::precision - 2);
template <class F>
inline constexpr bits_of<F> canonical_nan = infinity<F> | quiet_bit<F>;

template <class F>
constexpr bool is_nan(bits_of<F> a) noexcept {
  return (a & ~sign_mask<F>) > infinity<F>;
}
template <class F>
constexpr bool is_signaling(bits_of<F> a) noexcept {
  return is_nan<F>(a) && (a & quiet_bit<F>) == 0;
}

template <class F>
bits_of<F> add(bits_of<F> a, bits_of<F> b, rounding mode, std::uint8_t& flags);
template <class F>
bits_of<F> multiply(bits_of<F> a, bits_of<F> b, rounding mode, std::uint8_t& flags);
template <class F>
bits_of<F> divide(bits_of<F> a, bits_of<F> b, rounding mode, std::uint8_t& flags);
template <class F>
bits_of<F> square_root(bits_of<F> a, rounding mode, std::uint8_t& flags);
// a * b + c, rounded once.
template <class F>
bits_of<F> fused(bits_of<F> a, bits_of<F> b, bits_of<F> c, rounding mode, std::uint8_t& flags);

// Between the formats.
template <class To, class From>
bits_of<To> convert(bits_of<From> a, rounding mode, std::uint8_t& flags);

// To an integer of `width` bits, saturated, as its low bits of 64, sign-extended if `is_signed`.
template <class F>
std::uint64_t to_integer(bits_of<F> a, int width, bool is_signed, rounding mode, std::uint8_t& flags);
// From one of 64 bits.
template <class F>
bits_of<F> from_integer(std::uint64_t value, bool is_signed, rounding mode, std::uint8_t& flags);

}  // namespace tess::machine::soft
