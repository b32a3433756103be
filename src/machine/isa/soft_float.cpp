// soft_float: numbers as sign, exponent and a 64-bit significand whose lowest bit is sticky; one rounding at the end.
#include "machine/isa/soft_float.hpp"

#include <bit>
#include <utility>

namespace tess::machine::soft {
namespace {

__extension__ using uint128 = unsigned __int128;

// (-1)^sign * significand / 2^63 * 2^exponent. The significand has its top bit set unless the number is zero.
struct number {
  bool sign = false;
  int exponent = 0;
  std::uint64_t significand = 0;
};

template <class F>
number unpack(bits_of<F> a) noexcept {
  constexpr int p = format<F>::precision;
  auto const field = static_cast<int>((a & infinity<F>) >> (p - 1));
  std::uint64_t const fraction = a & fraction_mask<F>;
  bool const sign = (a & sign_mask<F>) != 0;
  if (field != 0) return {sign, field - format<F>::bias, (fraction | std::uint64_t{1} << (p - 1)) << (64 - p)};
  if (fraction == 0) return {sign, 0, 0};
  int const zeros = std::countl_zero(fraction);
  return {sign, 1 - format<F>::bias + (64 - p) - zeros, fraction << zeros};
}

// Shifts right; lost bits set the lowest bit.
template <class Word>
Word shift_jam(Word value, int by) noexcept {
  constexpr int width = sizeof(Word) * 8;
  if (by == 0) return value;
  if (by >= width) return value != 0;
  return (value >> by) | static_cast<Word>((value << (width - by)) != 0);
}

int leading_zeros(uint128 value) noexcept {
  auto const high = static_cast<std::uint64_t>(value >> 64U);
  return high != 0 ? std::countl_zero(high) : 64 + std::countl_zero(static_cast<std::uint64_t>(value));
}

// `value` / 2^127 * 2^exponent, normalised.
number normalised(bool sign, int exponent, uint128 value) noexcept {
  if (value == 0) return {sign, 0, 0};
  int const zeros = leading_zeros(value);
  value <<= zeros;
  auto const low_bits = static_cast<std::uint64_t>(value) != 0;
  return {sign, exponent - zeros, static_cast<std::uint64_t>(value >> 64U) | std::uint64_t{low_bits}};
}

// The increment at `unit`, the weight of the last kept place; `rest` is the part below.
bool rounds_up(bool sign, bool odd, std::uint64_t rest, std::uint64_t unit, rounding mode) noexcept {
  std::uint64_t const half = unit / 2;
  switch (mode) {
    case rne:
      return rest > half || (rest == half && odd);
    case rmm:
      return rest >= half && rest != 0;
    case rdn:
      return sign && rest != 0;
    case rup:
      return !sign && rest != 0;
    default:
      return false;
  }
}

// The significand cut to p bits in the low bits; 2^p if rounding carried.
std::uint64_t cut(number const& n, int p, rounding mode, bool& inexact) noexcept {
  std::uint64_t const unit = std::uint64_t{1} << (64 - p);
  std::uint64_t const rest = n.significand & (unit - 1);
  std::uint64_t const kept = n.significand >> (64 - p);
  inexact = rest != 0;
  return kept + rounds_up(n.sign, (kept & 1U) != 0, rest, unit, mode);
}

template <class F>
bits_of<F> overflowed(bool sign, rounding mode, std::uint8_t& flags) noexcept {
  flags |= flag_of | flag_nx;
  bool const to_infinity = mode == rne || mode == rmm || (mode == rup && !sign) || (mode == rdn && sign);
  bits_of<F> const magnitude = to_infinity ? infinity<F> : infinity<F> - 1;
  return magnitude | (sign ? sign_mask<F> : 0);
}

template <class F>
bits_of<F> pack(number n, rounding mode, std::uint8_t& flags) noexcept {
  constexpr int p = format<F>::precision;
  constexpr int exponent_min = 1 - format<F>::bias;
  bits_of<F> const sign = n.sign ? sign_mask<F> : 0;
  if (n.significand == 0) return sign;
  bool inexact = false;
  int field = n.exponent + format<F>::bias;
  bool tiny = false;
  if (n.exponent < exponent_min) {
    // Tiny unless rounding, were the exponent unbounded, makes it 2^exponent_min.
    bool ignored = false;
    tiny = n.exponent < exponent_min - 1 || (cut(n, p, mode, ignored) >> p) == 0;
    n.significand = shift_jam(n.significand, exponent_min - n.exponent);
    field = 1;
  }
  std::uint64_t const kept = cut(n, p, mode, inexact);
  // The hidden bit adds one to the field; so does a carry. Without a hidden bit the number is subnormal.
  std::uint64_t const packed = (static_cast<std::uint64_t>(field - 1) << (p - 1)) + kept;
  if (packed >= infinity<F>) return overflowed<F>(n.sign, mode, flags);
  if (inexact) flags |= flag_nx | (tiny ? flag_uf : 0);
  return static_cast<bits_of<F>>(packed) | sign;
}

template <class F>
bits_of<F> invalid(std::uint8_t& flags) noexcept {
  flags |= flag_nv;
  return canonical_nan<F>;
}

template <class F>
bits_of<F> nan_of(bool signaling, std::uint8_t& flags) noexcept {
  if (signaling) flags |= flag_nv;
  return canonical_nan<F>;
}

template <class F>
bool is_infinite(bits_of<F> a) noexcept {
  return (a & ~sign_mask<F>) == infinity<F>;
}
template <class F>
bool is_zero(bits_of<F> a) noexcept {
  return (a & ~sign_mask<F>) == 0;
}

// The sum of two numbers, value / 2^126 * 2^exponent each.
struct wide {
  bool sign;
  int exponent;
  uint128 value;
};

number sum(wide a, wide b, rounding mode) noexcept {
  if (a.value == 0 || (b.value != 0 && b.exponent > a.exponent)) std::swap(a, b);
  if (b.value != 0) b.value = shift_jam(b.value, a.exponent - b.exponent);
  if (a.sign == b.sign) return normalised(a.sign, a.exponent + 1, a.value + b.value);
  if (a.value == b.value) return {mode == rdn, 0, 0};
  bool const larger = a.value > b.value;
  return normalised(larger ? a.sign : b.sign, a.exponent + 1, larger ? a.value - b.value : b.value - a.value);
}

wide widened(number const& n) noexcept {
  return {n.sign, n.exponent, uint128{n.significand} << 63U};
}

// The root of value, with the remainder as sticky bit; value has one of its two top bits set.
std::uint64_t root(uint128 value) noexcept {
  uint128 rest = 0;
  uint128 found = 0;
  for (int k = 0; k < 64; ++k) {
    rest = (rest << 2U) | (value >> 126U);
    value <<= 2U;
    uint128 const next = (found << 2U) | 1U;
    found <<= 1U;
    if (rest >= next) {
      rest -= next;
      found |= 1U;
    }
  }
  return static_cast<std::uint64_t>(found) | std::uint64_t{rest != 0};
}

}  // namespace

template <class F>
bits_of<F> add(bits_of<F> a, bits_of<F> b, rounding mode, std::uint8_t& flags) {
  if (is_nan<F>(a) || is_nan<F>(b)) return nan_of<F>(is_signaling<F>(a) || is_signaling<F>(b), flags);
  if (is_infinite<F>(a)) return is_infinite<F>(b) && a != b ? invalid<F>(flags) : a;
  if (is_infinite<F>(b)) return b;
  if (is_zero<F>(a) && a == b) return a;
  return pack<F>(sum(widened(unpack<F>(a)), widened(unpack<F>(b)), mode), mode, flags);
}

template <class F>
bits_of<F> multiply(bits_of<F> a, bits_of<F> b, rounding mode, std::uint8_t& flags) {
  if (is_nan<F>(a) || is_nan<F>(b)) return nan_of<F>(is_signaling<F>(a) || is_signaling<F>(b), flags);
  bits_of<F> const sign = (a ^ b) & sign_mask<F>;
  if (is_infinite<F>(a) || is_infinite<F>(b))
    return is_zero<F>(a) || is_zero<F>(b) ? invalid<F>(flags) : infinity<F> | sign;
  number const x = unpack<F>(a);
  number const y = unpack<F>(b);
  uint128 const product = uint128{x.significand} * y.significand;
  return pack<F>(normalised(sign != 0, x.exponent + y.exponent + 1, product), mode, flags);
}

template <class F>
bits_of<F> divide(bits_of<F> a, bits_of<F> b, rounding mode, std::uint8_t& flags) {
  if (is_nan<F>(a) || is_nan<F>(b)) return nan_of<F>(is_signaling<F>(a) || is_signaling<F>(b), flags);
  bits_of<F> const sign = (a ^ b) & sign_mask<F>;
  if (is_infinite<F>(a)) return is_infinite<F>(b) ? invalid<F>(flags) : infinity<F> | sign;
  if (is_infinite<F>(b)) return sign;
  if (is_zero<F>(b)) {
    if (is_zero<F>(a)) return invalid<F>(flags);
    flags |= flag_dz;
    return infinity<F> | sign;
  }
  number const x = unpack<F>(a);
  number const y = unpack<F>(b);
  uint128 const dividend = uint128{x.significand} << 63U;
  uint128 const quotient = dividend / y.significand;  // below 2^64
  bool const rest = dividend % y.significand != 0;
  return pack<F>(normalised(sign != 0, x.exponent - y.exponent, quotient << 64U | uint128{rest}), mode, flags);
}

template <class F>
bits_of<F> square_root(bits_of<F> a, rounding mode, std::uint8_t& flags) {
  if (is_nan<F>(a)) return nan_of<F>(is_signaling<F>(a), flags);
  if (is_zero<F>(a)) return a;
  if ((a & sign_mask<F>) != 0) return invalid<F>(flags);
  if (is_infinite<F>(a)) return a;
  number const x = unpack<F>(a);
  bool const odd = (x.exponent & 1) != 0;
  uint128 const radicand = uint128{x.significand} << (odd ? 64U : 63U);
  return pack<F>({false, (x.exponent - (odd ? 1 : 0)) / 2, root(radicand)}, mode, flags);
}

template <class F>
bits_of<F> fused(bits_of<F> a, bits_of<F> b, bits_of<F> c, rounding mode, std::uint8_t& flags) {
  bool const impossible =
      (is_infinite<F>(a) && is_zero<F>(b)) || (is_zero<F>(a) && is_infinite<F>(b));  // invalid even if c is a NaN
  if (is_nan<F>(a) || is_nan<F>(b) || is_nan<F>(c))
    return nan_of<F>(impossible || is_signaling<F>(a) || is_signaling<F>(b) || is_signaling<F>(c), flags);
  if (impossible) return invalid<F>(flags);
  bits_of<F> const sign = (a ^ b) & sign_mask<F>;
  if (is_infinite<F>(a) || is_infinite<F>(b))
    return is_infinite<F>(c) && (c & sign_mask<F>) != sign ? invalid<F>(flags) : infinity<F> | sign;
  if (is_infinite<F>(c)) return c;
  if (is_zero<F>(a) || is_zero<F>(b)) {
    if (!is_zero<F>(c)) return c;
    return sign == (c & sign_mask<F>) ? c : (mode == rdn ? sign_mask<F> : 0);
  }
  number const x = unpack<F>(a);
  number const y = unpack<F>(b);
  // A significand's low 11 bits are zero, so the product loses nothing.
  uint128 const product = (uint128{x.significand} * y.significand) >> 1U;
  wide const left{sign != 0, x.exponent + y.exponent + 1, product};
  return pack<F>(sum(left, widened(unpack<F>(c)), mode), mode, flags);
}

template <class To, class From>
bits_of<To> convert(bits_of<From> a, rounding mode, std::uint8_t& flags) {
  if (is_nan<From>(a)) return nan_of<To>(is_signaling<From>(a), flags);
  bits_of<To> const sign = (a & sign_mask<From>) != 0 ? sign_mask<To> : 0;
  if (is_infinite<From>(a)) return infinity<To> | sign;
  return pack<To>(unpack<From>(a), mode, flags);
}

template <class F>
std::uint64_t to_integer(bits_of<F> a, int width, bool is_signed, rounding mode, std::uint8_t& flags) {
  std::uint64_t const magnitude_max =
      is_signed ? (std::uint64_t{1} << (width - 1)) - 1 : ~std::uint64_t{0} >> (64 - width);
  bool const sign = (a & sign_mask<F>) != 0 && !is_nan<F>(a);
  std::uint64_t const lowest = is_signed ? ~magnitude_max : 0;
  std::uint64_t const limit = sign ? (is_signed ? magnitude_max + 1 : 0) : magnitude_max;
  std::uint64_t magnitude = 0;
  bool inexact = false;
  bool too_large = is_nan<F>(a) || is_infinite<F>(a);
  if (!too_large) {
    number const n = unpack<F>(a);
    too_large = n.exponent > 63 && n.significand != 0;
    if (!too_large) {
      // 64 bits before the point, 64 behind it, the lowest sticky.
      uint128 const fixed = shift_jam(uint128{n.significand} << 64U, 63 - n.exponent);
      auto const behind = static_cast<std::uint64_t>(fixed >> 1U) >> 1U | std::uint64_t{(fixed & 3U) != 0};
      magnitude = static_cast<std::uint64_t>(fixed >> 64U);
      std::uint64_t const rest = behind & ((std::uint64_t{1} << 62U) - 1);
      inexact = rest != 0;
      bool const up = rounds_up(sign, (magnitude & 1U) != 0, rest, std::uint64_t{1} << 62U, mode);
      too_large = up && magnitude == ~std::uint64_t{0};
      magnitude += up;
    }
  }
  std::uint64_t result = sign ? 0 - magnitude : magnitude;
  if (too_large || magnitude > limit) {
    flags |= flag_nv;
    result = sign ? lowest : magnitude_max;
  } else if (inexact) {
    flags |= flag_nx;
  }
  return width == 32 ? static_cast<std::uint64_t>(std::int64_t{static_cast<std::int32_t>(result)}) : result;
}

template <class F>
bits_of<F> from_integer(std::uint64_t value, bool is_signed, rounding mode, std::uint8_t& flags) {
  bool const sign = is_signed && static_cast<std::int64_t>(value) < 0;
  std::uint64_t const magnitude = sign ? 0 - value : value;
  if (magnitude == 0) return 0;
  int const zeros = std::countl_zero(magnitude);
  return pack<F>({sign, 63 - zeros, magnitude << zeros}, mode, flags);
}

#define TESS_INSTANTIATE(F)                                                                  \
  template bits_of<F> add<F>(bits_of<F>, bits_of<F>, rounding, std::uint8_t&);               \
  template bits_of<F> multiply<F>(bits_of<F>, bits_of<F>, rounding, std::uint8_t&);          \
  template bits_of<F> divide<F>(bits_of<F>, bits_of<F>, rounding, std::uint8_t&);            \
  template bits_of<F> square_root<F>(bits_of<F>, rounding, std::uint8_t&);                   \
  template bits_of<F> fused<F>(bits_of<F>, bits_of<F>, bits_of<F>, rounding, std::uint8_t&); \
  template std::uint64_t to_integer<F>(bits_of<F>, int, bool, rounding, std::uint8_t&);      \
  template bits_of<F> from_integer<F>(std::uint64_t, bool, rounding, std::uint8_t&);
TESS_INSTANTIATE(float)
TESS_INSTANTIATE(double)
template bits_of<float> convert<float, double>(bits_of<double>, rounding, std::uint8_t&);
template bits_of<double> convert<double, float>(bits_of<float>, rounding, std::uint8_t&);

}  // namespace tess::machine::soft
